"""The ways in which this system can misbehave: a closed list, each with its parameters and their defaults."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandbox.exchange import Exchange

Act = Callable[["Exchange"], None]


@dataclass(frozen=True)
class Parameter:
    """One parameter of a mode: what it takes, in words and as a check, and its value when not given."""

    words: str
    fits: Callable[[Any], bool]
    default: Any = None
    required: bool = False


@dataclass(frozen=True)
class Mode:
    name: str
    act: Act
    parameters: Mapping[str, Parameter] = field(default_factory=dict)


MODES: dict[str, Mode] = {}


def _number(value: Any, low: float, high: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high


def number(default: float, low: float = 0, high: float = 86400) -> Parameter:
    return Parameter(f"a number from {low} to {high}", lambda value: _number(value, low, high), default)


def whole(default: int, low: int, high: int) -> Parameter:
    def fits(value: Any) -> bool:
        return isinstance(value, int) and _number(value, low, high)

    return Parameter(f"a whole number from {low} to {high}", fits, default)


def flag(default: bool) -> Parameter:
    return Parameter("true or false", lambda value: isinstance(value, bool), default)


def words(default: str | None = None, *, required: bool = False) -> Parameter:
    return Parameter("a string", lambda value: isinstance(value, str) and value != "", default, required)


def anything(default: Any = None) -> Parameter:
    return Parameter("any JSON value", lambda value: True, default)


HEADERS = Parameter(
    "an object of strings without line breaks",
    lambda value: isinstance(value, dict) and all(_header(name, held) for name, held in value.items()),
    {},
)


def _header(name: Any, value: Any) -> bool:
    return isinstance(value, str) and isinstance(name, str) and not set("\r\n") & set(name + value)


def mode(**parameters: Parameter) -> Callable[[Act], Act]:
    """Register a function as the mode of its own name; every mode also takes `headers` for the answer it sends."""

    def register(act: Act) -> Act:
        MODES[act.__name__] = Mode(act.__name__, act, {"headers": HEADERS, **parameters})
        return act

    return register
