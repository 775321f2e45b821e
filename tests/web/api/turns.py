"""A model's turn in each family's shape, and its results read back alike."""

import json
from dataclasses import dataclass
from typing import Any

from proposals.turns import Family
from tests.web.api.calling import GOOD, Agent, Answer

WITH_IDS = (Family.ANTHROPIC, Family.OPENAI_CHAT, Family.OPENAI_RESPONSES)
AS_TEXT = (Family.OPENAI_CHAT, Family.OPENAI_RESPONSES)  # whose arguments are JSON text


@dataclass(frozen=True)
class Call:
    """One call; `arguments` is a value, or, in the families where it is text, any text at all."""

    id: str | None = "c1"
    name: str = "ouvrir_revue_dossier"
    arguments: Any = None


@dataclass(frozen=True)
class Told:
    """One result: the id it answers, whether it is a refusal, and the object in it."""

    id: str | None
    is_error: bool
    body: dict[str, Any]


def turn(family: Family, *calls: Call) -> Any:
    match family:
        case Family.ANTHROPIC:
            return {"role": "assistant", "content": [{"type": "text", "text": "One moment."}, *map(_used, calls)]}
        case Family.OPENAI_CHAT:
            asked = [{"id": call.id, "type": "function", "function": _function(call)} for call in calls]
            return {"role": "assistant", "content": None, "tool_calls": asked}
        case Family.OPENAI_RESPONSES:
            return [{"type": "function_call", "call_id": call.id, **_function(call)} for call in calls]
        case Family.MCP:
            (call,) = calls
            return {"name": call.name, "arguments": GOOD if call.arguments is None else call.arguments}


def post(agent: Agent, family: Family, *calls: Call, session: str = "") -> Answer:
    return agent.post(f"/tool-calls{f'?session={session}' if session else ''}", turn(family, *calls))


def results(family: Family, answer: Answer) -> list[Told]:
    """What came back, whose shape is checked on the way."""
    assert answer.status == 200, answer.raw
    said = answer.body
    match family:
        case Family.ANTHROPIC:
            assert set(said) == {"role", "content"}
            return [_block(one) for one in said["content"]]
        case Family.OPENAI_CHAT:
            assert {one["role"] for one in said} <= {"tool"}
            return [_text(one["tool_call_id"], one["content"]) for one in said]
        case Family.OPENAI_RESPONSES:
            assert {one["type"] for one in said} <= {"function_call_output"}
            return [_text(one["call_id"], one["output"]) for one in said]
        case Family.MCP:
            told = _text(None, said["content"][0]["text"])
            flag = {"is_error": True} if said["isError"] else {}
            assert {**flag, **said["structuredContent"]} == told.body
            return [told]


def ask(agent: Agent, family: Family, *calls: Call, session: str = "") -> list[Told]:
    return results(family, post(agent, family, *calls, session=session))


def _used(call: Call) -> dict[str, Any]:
    given = GOOD if call.arguments is None else call.arguments
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": given}


def _function(call: Call) -> dict[str, Any]:
    given = GOOD if call.arguments is None else call.arguments
    return {"name": call.name, "arguments": given if isinstance(given, str) else json.dumps(given)}


def _block(block: dict[str, Any]) -> Told:
    (part,) = block["content"]
    told = _text(block["tool_use_id"], part["text"])
    assert told.is_error is block["is_error"]
    return told


def _text(call_id: str | None, text: str) -> Told:
    body = json.loads(text)
    return Told(call_id, body.get("is_error", False), body)
