"""Results in the shape of the family that called: one for each call, in order, with an id where the shape has one."""

import json
from collections.abc import Sequence
from typing import Any

from proposals.turns import Family, ModelCall
from web.api.errors import body_of
from web.api.resources import resource, resource_as_written
from web.toolcalls.calling import Result

Told = tuple[ModelCall, dict[str, Any], bool]  # the call, what is said of it, and whether that is a refusal


def told(result: Result, *, language: str, request_id: str) -> Told:
    """The proposal as it stands, without its proof; or the problem, as it stands everywhere at this door."""
    if result.refusal is not None:
        return result.call, body_of(result.refusal, request_id), True
    assert result.received is not None
    proposal, revision = result.received.proposal, result.received.revision
    assert proposal is not None
    assert revision is not None
    said = (
        resource(proposal, language=language, proof=False)
        if result.received.replayed
        else resource_as_written(revision, language=language)
    )
    said.pop("proof", None)
    return result.call, said, False


def rendered(family: Family, results: Sequence[Told]) -> Any:
    """A message of tool results, a list of tool messages, a list of output items, or one CallToolResult."""
    match family:
        case Family.ANTHROPIC:
            return {"role": "user", "content": [_anthropic(*one) for one in results]}
        case Family.OPENAI_CHAT:
            return [
                {"role": "tool", "tool_call_id": call.id, "content": _text(said, bad)} for call, said, bad in results
            ]
        case Family.OPENAI_RESPONSES:
            return [
                {"type": "function_call_output", "call_id": call.id, "output": _text(said, bad)}
                for call, said, bad in results
            ]
        case Family.MCP:
            return _mcp(*results[0])


def _anthropic(call: ModelCall, said: dict[str, Any], is_error: bool) -> dict[str, Any]:
    content = [{"type": "text", "text": _text(said, is_error)}]
    return {"type": "tool_result", "tool_use_id": call.id, "is_error": is_error, "content": content}


def _mcp(_call: ModelCall, said: dict[str, Any], is_error: bool) -> dict[str, Any]:
    content = [{"type": "text", "text": _text(said, is_error)}]
    return {"content": content, "structuredContent": said, "isError": is_error}


def _text(said: dict[str, Any], is_error: bool) -> str:
    """One JSON object, so that programs read it too. A refusal says in it that it is one: two families have no flag."""
    return json.dumps({"is_error": True, **said} if is_error else said, ensure_ascii=False)
