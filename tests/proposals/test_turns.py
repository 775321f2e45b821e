"""One turn in four shapes is one turn; what is none of them is refused, and nothing is repaired."""

import json
from typing import Any

import pytest

from proposals.turns import Family, NotATurn, Turn, read_turn

GIVEN = {"order_id": "ORD-000123", "amount_minor": 1250, "currency": "EUR"}
FUNCTION = {"name": "refund_create", "arguments": json.dumps(GIVEN)}
SHAPES: dict[Family, Any] = {
    Family.ANTHROPIC: {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "One moment."},
            {"type": "tool_use", "id": "c1", "name": "refund_create", "input": GIVEN},
        ],
    },
    Family.OPENAI_CHAT: {
        "role": "assistant",
        "content": "One moment.",
        "tool_calls": [{"id": "c1", "type": "function", "function": FUNCTION}],
    },
    Family.OPENAI_RESPONSES: [
        {"type": "message", "content": [{"type": "output_text", "text": "One moment."}]},
        {"type": "function_call", "call_id": "c1", **FUNCTION},
    ],
    Family.MCP: {"name": "refund_create", "arguments": GIVEN},
}
WHOLE = {
    Family.OPENAI_CHAT: {"choices": [{"message": SHAPES[Family.OPENAI_CHAT]}]},
    Family.OPENAI_RESPONSES: {"output": SHAPES[Family.OPENAI_RESPONSES]},
    Family.MCP: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": SHAPES[Family.MCP]},
}


@pytest.mark.parametrize(("family", "value"), [*SHAPES.items(), *WHOLE.items()])
def test_every_shape_tells_the_same_call(family: Family, value: Any) -> None:
    turn = read_turn(value)
    (call,) = turn.calls
    assert (turn.family, call.name, call.arguments, call.unreadable) == (family, "refund_create", GIVEN, "")
    assert (call.id, turn.words) == ((None, "") if family is Family.MCP else ("c1", "One moment."))


def test_words_alone_are_a_turn_without_calls() -> None:
    assert read_turn({"role": "assistant", "content": "No."}) == Turn(Family.OPENAI_CHAT, "No.", ())
    assert read_turn({"role": "assistant", "content": [{"type": "text", "text": "No."}]}).calls == ()


@pytest.mark.parametrize(
    "text", ['{"order_id":"ORD-000123","amount_minor":12', "", "{'a': 1}", '{"a":1,"a":2}', None, GIVEN]
)
def test_arguments_that_are_no_strict_json_text_are_kept_and_said(text: Any) -> None:
    (call,) = read_turn({"tool_calls": [{"id": "c1", "function": {"name": "refund_create", "arguments": text}}]}).calls
    assert call.arguments == text
    assert call.unreadable


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        (None, ""),
        ("text", ""),
        ({}, ""),
        ({"content": [{"type": "tool_use", "id": "c1", "input": {}}]}, "/content/0/name"),
        ({"tool_calls": {"a": 1}}, "/tool_calls"),
        ({"tool_calls": [{"function": None}]}, "/tool_calls/0/function"),
        ({"choices": []}, "/choices"),
        ({"params": []}, "/params"),
        ([7], "/0"),
        ({"name": 7}, "/name"),
    ],
)
def test_what_is_none_of_the_shapes_says_where(value: Any, pointer: str) -> None:
    with pytest.raises(NotATurn) as refused:
        read_turn(value)
    assert refused.value.pointer == pointer
