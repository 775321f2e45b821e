"""A turn in each of the four shapes, and what comes back, for the OpenAPI document."""

import json
from typing import Any

_GIVEN = {"dossier_ref": "D-42", "expected_version": 7, "reason_code": "DONNEE_A_VERIFIER"}
_CALLED = {"name": "ouvrir_revue_dossier", "arguments": json.dumps(_GIVEN)}

TURNS: dict[str, Any] = {
    "anthropic": {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "toolu_1", "name": "ouvrir_revue_dossier", "input": _GIVEN}],
    },
    "openai_chat": {"role": "assistant", "tool_calls": [{"id": "call_1", "type": "function", "function": _CALLED}]},
    "openai_responses": [{"type": "function_call", "call_id": "call_1", **_CALLED}],
    "mcp": {"name": "ouvrir_revue_dossier", "arguments": _GIVEN},
}

TURN: dict[str, Any] = {
    "description": "An Anthropic message, an OpenAI chat message, OpenAI Responses items, or MCP call params.",
    "anyOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}}],
}

_TEXT = {"type": "string"}
_BLOCKS = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["type", "text"],
        "properties": {"type": {"const": "text"}, "text": {**_TEXT, "description": "JSON: a Proposal or a Problem."}},
    },
}


def _closed(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
    }


_TOOL_RESULT = _closed(type={"const": "tool_result"}, tool_use_id=_TEXT, is_error={"type": "boolean"}, content=_BLOCKS)
RESULTS: dict[str, Any] = {
    "anyOf": [
        _closed(role={"const": "user"}, content={"type": "array", "items": _TOOL_RESULT}),
        {"type": "array", "items": _closed(role={"const": "tool"}, tool_call_id=_TEXT, content=_TEXT)},
        {"type": "array", "items": _closed(type={"const": "function_call_output"}, call_id=_TEXT, output=_TEXT)},
        _closed(content=_BLOCKS, structuredContent={"type": "object"}, isError={"type": "boolean"}),
    ]
}
