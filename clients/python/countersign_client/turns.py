"""A model's turns: which tool it must choose, and a loop that answers every call and ends."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Protocol


class Family(StrEnum):
    """The shapes in which models speak."""

    ANTHROPIC = "anthropic"
    OPENAI = "openai"  # Chat Completions
    RESPONSES = "responses"  # OpenAI Responses


class Answers(Protocol):
    """Whoever answers a turn: countersign_client.Countersign."""

    def answer(self, turn: Any) -> Any: ...


class TooManyTurns(Exception):
    """The model went on calling. `messages` is the whole conversation: every call in it was answered."""

    def __init__(self, messages: Sequence[Any]) -> None:
        super().__init__("the model went on calling tools")
        self.messages = list(messages)


def tool_choice(family: Family | str, mode: str, *, tool: str | None = None) -> Any:
    """The `tool_choice` of a request: `auto` (may call), `none` (may not), `required` (must), or `tool` (this one)."""
    if mode not in ("auto", "none", "required", "tool") or (mode == "tool") != bool(tool):
        raise ValueError("mode is auto, none, required, or tool together with the tool's name")
    match Family(family):
        case Family.ANTHROPIC:
            return {"type": "any" if mode == "required" else mode, **({"name": tool} if tool else {})}
        case Family.OPENAI:
            return {"type": "function", "function": {"name": tool}} if tool else mode
        case Family.RESPONSES:
            return {"type": "function", "name": tool} if tool else mode


def converse(
    agent: Answers, model: Callable[[list[Any]], Any], messages: Sequence[Any], *, family: Family | str, turns: int = 8
) -> list[Any]:
    """The conversation once the model says something without calling a tool.

    `model` is given the conversation so far and returns its turn: a message (Anthropic, OpenAI Chat), or the list of
    output items (OpenAI Responses). Every call of every turn is answered, the last one's as well.

    Raises TooManyTurns after so many turns with calls; Refused when a turn as a whole cannot be read.
    """
    said = list(messages)
    family = Family(family)
    for _turn in range(turns):
        turn = model(list(said))
        said.extend(turn if family is Family.RESPONSES else [turn])
        if not calls_in(turn, family):
            return said
        said.extend(_as_messages(agent.answer(_calling(turn, family)), family))
    raise TooManyTurns(said)


def calls_in(turn: Any, family: Family | str) -> list[str]:
    """The ids of the calls in a turn, in order."""
    match Family(family):
        case Family.ANTHROPIC:
            content = turn.get("content", ())
            blocks = () if isinstance(content, str) else content
            return [block["id"] for block in blocks if block.get("type") == "tool_use"]
        case Family.OPENAI:
            return [call["id"] for call in turn.get("tool_calls") or ()]
        case Family.RESPONSES:
            return [item["call_id"] for item in turn if item.get("type") == "function_call"]


def _calling(turn: Any, family: Family) -> Any:
    """What is posted of a turn: its calls, not what else the model said."""
    if family is not Family.RESPONSES:
        return turn
    return [item for item in turn if item.get("type") == "function_call"]


def _as_messages(answer: Any, family: Family) -> list[Mapping[str, Any]]:
    """The results as the family expects them in the conversation."""
    if family is Family.ANTHROPIC and isinstance(answer, Mapping):
        return [answer]
    return list(answer)
