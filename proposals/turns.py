"""Reads what a model said, in the four shapes that model families speak: its words, and the calls it made.

Nothing is repaired: a call whose arguments are no strict JSON keeps its text and says why. Pure, so that whoever speaks
with models (a door, an evaluation of recorded answers) reads them alike.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from proposals.arguments import Malformed, parse_json


class Family(StrEnum):
    """Whose shape it is."""

    ANTHROPIC = "anthropic"
    OPENAI_CHAT = "openai_chat"
    OPENAI_RESPONSES = "openai_responses"
    MCP = "mcp"


@dataclass(frozen=True)
class ModelCall:
    """One call as the model made it. `arguments` is the value given; `unreadable` why its text is no JSON, if so.

    `id` is None where the shape has none (MCP) or the model left it out; `pointer` is where the call stands.
    """

    id: str | None
    name: str
    arguments: Any
    pointer: str
    unreadable: str = ""


@dataclass(frozen=True)
class Turn:
    """One answer of a model: the words it said, and its calls in their order."""

    family: Family
    words: str
    calls: tuple[ModelCall, ...]


class NotATurn(ValueError):
    """The value is none of the four shapes; the text says what is missing, `pointer` where."""

    def __init__(self, detail: str, pointer: str = "") -> None:
        super().__init__(detail)
        self.pointer = pointer


def read_turn(value: Any) -> Turn:
    """The turn in an Anthropic message, an OpenAI chat message, OpenAI Responses items, or MCP `tools/call` params.

    A whole response of these interfaces (`choices`, `output`, a JSON-RPC request) is read for the turn in it.

    Raises NotATurn.
    """
    if isinstance(value, list):
        return _responses(value, "")
    if not isinstance(value, Mapping):
        raise NotATurn("A turn is an object, or a list of items.")
    for key, read in _READERS:
        if key in value:
            return read(value)
    raise NotATurn("A turn has one of: content, tool_calls, output, choices, name, params.")


def _chat(message: Mapping[str, Any]) -> Turn:
    said = [] if message.get("tool_calls") is None else message["tool_calls"]
    calls = [_chat_call(item, f"/tool_calls/{at}") for at, item in enumerate(_list(said, "/tool_calls"))]
    return Turn(Family.OPENAI_CHAT, _words(message.get("content")), tuple(calls))


def _chat_call(item: Any, pointer: str) -> ModelCall:
    function = _object(_object(item, pointer).get("function"), f"{pointer}/function")
    return _spelled(item.get("id"), function, pointer)


def _choices(response: Mapping[str, Any]) -> Turn:
    choices = _list(response["choices"], "/choices")
    if len(choices) != 1:
        raise NotATurn("One choice is one answer.", "/choices")
    return _chat(_object(_object(choices[0], "/choices/0").get("message"), "/choices/0/message"))


def _responses(items: Sequence[Any], pointer: str) -> Turn:
    calls, words = [], []
    for at, item in enumerate(items):
        place = f"{pointer}/{at}"
        kind = _object(item, place).get("type")
        if kind == "function_call":
            calls.append(_spelled(item.get("call_id"), item, place))
        elif kind == "message":
            words.append(_words(item.get("content")))
    return Turn(Family.OPENAI_RESPONSES, "\n".join(filter(None, words)), tuple(calls))


def _content(message: Mapping[str, Any]) -> Turn:
    """A message with content: Anthropic's blocks, or the words of a chat message without calls."""
    blocks = message["content"]
    if "tool_calls" in message or not isinstance(blocks, list):
        return _chat(message)
    calls = [
        ModelCall(_text(block.get("id")), _name(block, place), block.get("input"), place)
        for at, block in enumerate(blocks)
        for place in [f"/content/{at}"]
        if _object(block, place).get("type") == "tool_use"
    ]
    return Turn(Family.ANTHROPIC, _words(blocks), tuple(calls))


def _mcp(params: Mapping[str, Any]) -> Turn:
    return Turn(Family.MCP, "", (ModelCall(None, _name(params, ""), params.get("arguments", {}), ""),))


_READERS: tuple[tuple[str, Callable[[Mapping[str, Any]], Turn]], ...] = (
    ("choices", _choices),
    ("output", lambda value: _responses(_list(value["output"], "/output"), "/output")),
    ("params", lambda value: _mcp(_object(value["params"], "/params"))),
    ("content", _content),
    ("tool_calls", _chat),
    ("name", _mcp),
)


def _spelled(call_id: Any, holder: Mapping[str, Any], pointer: str) -> ModelCall:
    """A call whose arguments are JSON text, as OpenAI's are."""
    name, text = _name(holder, pointer), holder.get("arguments")
    if not isinstance(text, str):
        return ModelCall(_text(call_id), name, text, pointer, "The arguments are JSON text in this shape.")
    try:
        return ModelCall(_text(call_id), name, parse_json(text.encode("utf-8", "surrogatepass")), pointer)
    except Malformed as error:
        return ModelCall(_text(call_id), name, text, pointer, error.detail)


def _words(content: Any) -> str:
    """What was said in words: a text, or the text blocks of a list."""
    if isinstance(content, str):
        return content
    return "\n".join(_texts(content)) if isinstance(content, list) else ""


def _texts(blocks: Sequence[Any]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Mapping) and block.get("type") in ("text", "output_text"):
            text = block.get("text")
            if isinstance(text, str):
                yield text


def _name(holder: Mapping[str, Any], pointer: str) -> str:
    name = holder.get("name")
    if not isinstance(name, str):
        raise NotATurn("A call has a name.", f"{pointer}/name")
    return name


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _object(value: Any, pointer: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise NotATurn("An object stands here.", pointer)
    return value


def _list(value: Any, pointer: str) -> Sequence[Any]:
    if not isinstance(value, list):
        raise NotATurn("A list stands here.", pointer)
    return value
