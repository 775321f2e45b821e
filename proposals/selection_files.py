"""The two files of an evaluation, JSON Lines both: cases with the right answer, and answers of models as recorded."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from proposals.arguments import Malformed, parse_json
from proposals.claims import MAY_SAY
from proposals.turns import NotATurn, Turn, read_turn

MAX_LINES = 20_000
MODES = ("auto", "any", "none", "tool")


@dataclass(frozen=True)
class Wanted:
    """One call that is right: the tool, and its arguments unless any will do; `free` names those that may differ."""

    tool: str
    arguments: Mapping[str, Any] | None
    free: tuple[str, ...] = ()


@dataclass(frozen=True)
class Case:
    """What was asked, and the calls that are right; none where the right answer is no call."""

    id: str
    prompt: str
    wanted: tuple[Wanted, ...]


@dataclass(frozen=True)
class Answer:
    """One recorded answer. `turn` is None where it has none of the four shapes; `problem` then says why.

    `versions` names the contract versions the model was shown; `final` is what it told its user once it had read that
    the order was in `status`.
    """

    case: str
    mode: str
    versions: Mapping[str, str]
    model: str
    turn: Turn | None
    problem: str
    final: str
    status: str


class BadLine(ValueError):
    """A file cannot be used: the text names file, line and what is wrong."""


def read_cases(text: bytes, name: str) -> dict[str, Case]:
    """The cases of a data set, by id. Raises BadLine."""
    cases: dict[str, Case] = {}
    for line, value in _lines(text, name):
        place = f"{name}:{line}"
        _known(value, {"id", "prompt", "expected"}, place)
        case = Case(_text(value, "id", place), _text(value, "prompt", place), _wanted(value.get("expected"), place))
        if case.id in cases:
            raise BadLine(f"{place}: the case {case.id} is there twice.")
        cases[case.id] = case
    return cases


def read_answers(text: bytes, name: str, cases: Mapping[str, Case]) -> list[Answer]:
    """The recorded answers, in their order. Raises BadLine; an answer that is no turn is kept as one that is wrong."""
    answers = []
    for line, value in _lines(text, name):
        place = f"{name}:{line}"
        _known(value, {"case", "answer", "tool_choice", "contract_versions", "model", "final", "status"}, place)
        case = _text(value, "case", place)
        if case not in cases:
            raise BadLine(f"{place}: there is no case {case}.")
        if "answer" not in value:
            raise BadLine(f"{place}: answer is missing.")
        answers.append(_answer(value, case, place))
    return answers


def _answer(value: Mapping[str, Any], case: str, place: str) -> Answer:
    turn, problem = None, ""
    try:
        turn = read_turn(value["answer"])
    except NotATurn as error:
        problem = f"{error}{f' ({error.pointer})' if error.pointer else ''}"
    status = _text(value, "status", place, default="")
    if status and status not in MAY_SAY:
        raise BadLine(f"{place}: {status} is not a status.")
    if "final" in value and not status:
        raise BadLine(f"{place}: a final sentence is held against a status: status is missing.")
    versions = value.get("contract_versions", {})
    if not isinstance(versions, dict) or not all(isinstance(version, str) for version in versions.values()):
        raise BadLine(f"{place}: contract_versions holds a version, as text, for each tool.")
    return Answer(
        case=case,
        mode=_mode(value.get("tool_choice", "auto"), place),
        versions=versions,
        model=_text(value, "model", place, default=""),
        turn=turn,
        problem=problem,
        final=_text(value, "final", place, default=""),
        status=status,
    )


def _mode(choice: Any, place: str) -> str:
    """The mode in any family's words: `required` is any, and an object that names a function is tool."""
    kind = choice.get("type") if isinstance(choice, Mapping) else choice
    mode = {"required": "any", "function": "tool"}.get(str(kind), str(kind))
    if mode not in MODES:
        raise BadLine(f"{place}: tool_choice is one of {', '.join(MODES)}, or a family's own word for it.")
    return mode


def _wanted(value: Any, place: str) -> tuple[Wanted, ...]:
    """`null` and `[]` say that no call is right."""
    items = value if isinstance(value, list) else [] if value is None else [value]
    wanted = []
    for item in items:
        if not isinstance(item, Mapping):
            raise BadLine(f"{place}: expected is a call, a list of calls, or null.")
        _known(item, {"tool", "arguments", "free"}, f"{place}: expected")
        arguments, free = item.get("arguments"), item.get("free", [])
        if arguments is not None and not isinstance(arguments, Mapping):
            raise BadLine(f"{place}: expected.arguments is an object.")
        if not isinstance(free, list) or not all(isinstance(name, str) for name in free):
            raise BadLine(f"{place}: expected.free is a list of names.")
        wanted.append(Wanted(_text(item, "tool", place), arguments, tuple(free)))
    return tuple(wanted)


def _lines(text: bytes, name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        if number > MAX_LINES:
            raise BadLine(f"{name}: at most {MAX_LINES} lines.")
        try:
            value = parse_json(line)
        except Malformed as error:
            raise BadLine(f"{name}:{number}: {error.detail}") from error
        if not isinstance(value, Mapping):
            raise BadLine(f"{name}:{number}: a line holds one object.")
        yield number, value


def _known(value: Mapping[str, Any], names: set[str], place: str) -> None:
    unknown = sorted(value.keys() - names)
    if unknown:
        raise BadLine(f"{place}: {', '.join(unknown)} is not known here; known: {', '.join(sorted(names))}.")


def _text(value: Mapping[str, Any], name: str, place: str, default: str | None = None) -> str:
    found = value.get(name, default)
    if not isinstance(found, str) or (default is None and not found):
        raise BadLine(f"{place}: {name} is a text.")
    return found
