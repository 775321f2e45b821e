"""A contract's rules, asked of plain facts: which of them may be asked when, and what each answered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from proposals.contracts import Rule


@dataclass(frozen=True)
class Answer:
    """What one rule answered. `error` tells why it could not be judged; such a rule does not hold."""

    source: str
    sentence: Mapping[str, str]
    holds: bool
    error: str | None


def about_arguments(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules that can be asked before anything is known of the requester's rights or of the target."""
    return tuple(rule for rule in rules if rule.argument_only)


def judge(
    rules: Iterable[Rule], *, arguments: Mapping[str, Any], requester: Mapping[str, Any], target: Mapping[str, Any]
) -> tuple[Answer, ...]:
    """Ask every rule, in the contract's order; nothing but a boolean true holds."""
    data = {"args": arguments, "requester": requester, "target": target}
    return tuple(_asked(rule, data) for rule in rules)


def _asked(rule: Rule, data: Mapping[str, Any]) -> Answer:
    verdict = rule.compiled.judge(data)
    return Answer(rule.source, rule.sentence, verdict.holds, verdict.error)
