"""Rules in CEL, judged so that nothing but a boolean true ever passes."""

import hashlib
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from cel_expr_python import cel

MAX_SOURCE = 4_000
MAX_DEPTH = 64
MAX_TEXT = 16_000  # characters of one text that a rule reads: copying and matching cost by the character
MAX_VALUES = 50_000  # values, at every level together
MAX_REPEATS = 200  # of counted repetitions in the patterns of one rule: the engine unrolls them
_SALT = secrets.token_bytes(16)  # two long texts cannot be made to look equal
_INT64 = range(-(2**63), 2**63)

# A pattern is written in the rule: one that came with the data could be made to cost anything.
_MATCHES = re.compile(r"\bmatches\s*\(")
_WITH_LITERAL = re.compile(r"""\.\s*matches\s*\(\s*r?('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\s*\)""", re.DOTALL)
_COUNTED = re.compile(r"\{(\d+)(?:,(\d*))?\}")

_TYPES: dict[str, Any] = {
    "map": cel.Type.Map(cel.Type.STRING, cel.Type.DYN),
    "list": cel.Type.List(cel.Type.DYN),
    "int": cel.Type.INT,
    "string": cel.Type.STRING,
    "bool": cel.Type.BOOL,
    "timestamp": cel.Type.TIMESTAMP,
    "dyn": cel.Type.DYN,
}


class RuleError(Exception):
    """A rule cannot be used; the text is a sentence for its author."""


@dataclass(frozen=True)
class Verdict:
    """`holds` is true only for a boolean true; a rule that failed to evaluate says why in `error`."""

    holds: bool
    error: str | None = None


@dataclass(frozen=True)
class Rule:
    """A compiled rule; safe to share between threads and with forked children, not picklable."""

    source: str
    variables: tuple[tuple[str, str], ...]
    _expression: Any = field(repr=False, compare=False)

    def judge(self, data: Mapping[str, Any]) -> Verdict:
        """Whether the rule holds for these values; every failure is a verdict that does not hold, never an exception.

        An integer beyond 64 bits, and a text beyond MAX_TEXT, are opaque to a rule: equal only to themselves, an error
        where they are ordered, added or searched. Data of more than MAX_VALUES values is judged by no rule, and the
        engine itself ends loops that go on too long.
        """
        try:
            left = [MAX_VALUES]
            value = self._expression.eval(data={name: _carried(data[name], 0, left) for name, _ in self.variables})
            kind = value.type()
            result = value.value()
        except KeyError as error:
            return Verdict(False, f"The rule was given no value for {error}.")
        except Exception as error:  # noqa: BLE001 - the engine raises RuntimeError and others on hostile data: all deny
            return Verdict(False, _one_line(str(error)) or type(error).__name__)
        if kind == cel.Type.ERROR:  # an error is a value here, and a truthy one
            return Verdict(False, _one_line(str(result)))
        if kind != cel.Type.BOOL:
            return Verdict(False, f"The rule gave {kind.name()}, not a boolean.")
        return Verdict(result is True)


def compile_rule(source: str, variables: Mapping[str, str]) -> Rule:
    """The rule, type-checked as a boolean over `variables` (name → map, list, int, string, bool, timestamp or dyn).

    Raises RuleError, with the engine's complaint in one line, for anything else.
    """
    if len(source) > MAX_SOURCE:
        raise RuleError(f"The rule is longer than {MAX_SOURCE} characters.")
    _require_plain_patterns(source)
    declared = tuple(sorted(variables.items()))
    try:
        expression = _environment(declared).compile(source)
    except (RuntimeError, ValueError, UnicodeError) as error:
        raise RuleError(f"The rule is not valid CEL: {_complaint(str(error))}.") from error
    if expression.return_type() != cel.Type.BOOL:
        raise RuleError(f"The rule gives {expression.return_type().name()}, not a boolean.")
    return Rule(source, declared, expression)


@lru_cache(maxsize=64)
def _environment(declared: tuple[tuple[str, str], ...]) -> Any:
    return cel.NewEnv(variables={name: _TYPES[kind] for name, kind in declared})


def _carried(value: Any, depth: int, left: list[int]) -> Any:
    """The value as the engine can carry it: one huge integer anywhere would otherwise spoil every rule."""
    left[0] -= 1
    if depth > MAX_DEPTH:
        raise ValueError(f"The data is nested deeper than {MAX_DEPTH} levels.")
    if left[0] < 0:
        raise ValueError(f"The data holds more than {MAX_VALUES} values.")
    if isinstance(value, Mapping):
        return {str(key): _carried(item, depth + 1, left) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_carried(item, depth + 1, left) for item in value]
    if isinstance(value, str) and len(value) > MAX_TEXT:
        return _opaque(value)
    if isinstance(value, int) and not isinstance(value, bool) and value not in _INT64:
        return {"integer beyond 64 bits": hex(value)}
    return value


def _opaque(text: str) -> float:
    """Stands for a text too long to be read: a double has no size and no letters, so no rule about those holds."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), key=_SALT, digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 12) + 0.5


def _require_plain_patterns(source: str) -> None:
    """Raises RuleError for a pattern that does not stand in the rule, or that repeats too often."""
    patterns = _WITH_LITERAL.findall(source)
    if len(patterns) != len(_MATCHES.findall(source)):
        raise RuleError("A pattern stands in the rule itself: write value.matches('…').")
    repeats = sum(int(most or least) for pattern in patterns for least, most in _COUNTED.findall(pattern))
    if repeats > MAX_REPEATS:
        raise RuleError(f"The patterns repeat {repeats} times together; {MAX_REPEATS} is the most.")


def _complaint(text: str) -> str:
    """The engine's first complaint, without its own codes."""
    found = re.match(r"INVALID_ARGUMENT: ERROR: <input>:\d+:(\d+): (.*)", text)
    words = f"at character {found[1]}: {found[2]}" if found else text
    return _one_line(words.removesuffix(" (in container '')")).rstrip(".")


def _one_line(text: str) -> str:
    return text.split("\n", 1)[0].strip()[:300]
