"""Whether what a business system shows proves the approved effect. Pure: fields in, a verdict with its reasons out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Any, Protocol


class Verdict(StrEnum):
    """What an observation says about one intent."""

    PROVES = "proves"
    CONTRADICTS = "contradicts"
    DISPROVES = "disproves"
    NOTHING = "nothing"


class Check(Protocol):
    """One line of a contract's `effect_to_verify`: `rule` is "present", or "equals" with an argument's name."""

    @property
    def field(self) -> str: ...
    @property
    def rule(self) -> str: ...
    @property
    def argument(self) -> str | None: ...
    @property
    def max_age(self) -> timedelta | None: ...


class Shown(Protocol):
    """One effect that a search by our reference showed."""

    @property
    def reference(self) -> str: ...
    @property
    def fields(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True)
class Judged:
    """One rule judged: `verdict` is "holds", "differs", "missing", or "stale": older than the rule allows."""

    field: str
    expected: Any
    observed: Any
    verdict: str

    def as_json(self) -> dict[str, Any]:
        """The row as evidence keeps it."""
        return {"field": self.field, "expected": self.expected, "observed": self.observed, "verdict": self.verdict}


@dataclass(frozen=True)
class Judgement:
    """The verdict over all rules; `fields` are the ones observed, `because` one word for a machine."""

    verdict: Verdict
    because: str
    rules: tuple[Judged, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)


def same(one: Any, other: Any) -> bool:
    """Equality of JSON values, without coercion: true is not 1, and "1" is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def judge(
    checks: Iterable[Check],
    *,
    arguments: Mapping[str, Any],
    fields: Mapping[str, Any],
    names_us: bool,
    age: timedelta = timedelta(0),
) -> Judgement:
    """Judge observed fields by the contract's rules.

    Nothing is concluded from an observation that does not name this intent, nor from one in which a
    probative field is missing, or older (`age`) than its rule allows. A field that is there and differs shows
    another effect.
    """
    if not names_us:
        return Judgement(Verdict.NOTHING, "not_named")
    rules = tuple(_judge_one(check, arguments=arguments, fields=fields, age=age) for check in checks)
    verdicts = {rule.verdict for rule in rules}
    if "differs" in verdicts:
        return Judgement(Verdict.CONTRADICTS, "differs", rules, fields)
    if "missing" in verdicts or not rules:
        return Judgement(Verdict.NOTHING, "incomplete", rules, fields)
    if "stale" in verdicts:
        return Judgement(Verdict.NOTHING, "stale", rules, fields)
    return Judgement(Verdict.PROVES, "proven", rules, fields)


def _judge_one(check: Check, *, arguments: Mapping[str, Any], fields: Mapping[str, Any], age: timedelta) -> Judged:
    observed = fields.get(check.field)
    expected = arguments.get(check.argument) if check.rule == "equals" and check.argument else "present"
    if observed is None or observed == "":
        return Judged(check.field, expected, None, "missing")
    holds = check.rule == "present" or same(observed, expected)
    stale = check.max_age is not None and age > check.max_age
    return Judged(check.field, expected, observed, "differs" if not holds else "stale" if stale else "holds")


def judge_lookup(
    checks: Sequence[Check],
    *,
    arguments: Mapping[str, Any],
    found: Sequence[Shown],
    complete: bool,
    reference: str,
) -> Judgement:
    """Judge a search by our reference: exactly one matching effect proves; another effect, or two, contradict.

    A search that did not see every page cannot say "exactly one", so one matching effect in it proves nothing yet.
    """
    ours = [effect for effect in found if effect.reference == reference]
    if len(ours) > 1:
        return Judgement(Verdict.CONTRADICTS, "duplicate", (), {"effects": [dict(one.fields) for one in ours]})
    if not ours:
        return Judgement(Verdict.NOTHING, "nothing_found" if complete else "search_failed")
    judgement = judge(checks, arguments=arguments, fields=ours[0].fields, names_us=True)
    if judgement.verdict is Verdict.PROVES and not complete:
        return Judgement(Verdict.NOTHING, "search_failed", judgement.rules, judgement.fields)
    return judgement
