"""What a person says and enters about an outcome, judged by the contract's rules before anything follows from it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from intents.caseload import NotAllowed
from intents.establishing import Seen
from intents.evidence import Judgement, Verdict, judge, same
from intents.holding import Held
from intents.models import Conclusion, Evidence
from tenancy.models import User

Finding = Conclusion.Finding


@dataclass(frozen=True)
class Said:
    """What a person concludes: a finding, what is to follow, why, and the evidence entered."""

    finding: str
    then: str
    reason: str
    words: str
    fields: Mapping[str, Any]
    link: str
    differs: bool


def fields_problem(held: Held, said: Said) -> NotAllowed | None:
    """The contract's rules run on what was entered: every field, and equal to what was approved."""
    judgement = _judged(held, said.fields)
    missing = {rule.field: "" for rule in judgement.rules if rule.verdict == "missing"}
    if missing or judgement.because == "incomplete":
        return NotAllowed("fields_missing", fields=dict(missing))
    if said.differs:
        return NotAllowed("fields_match") if judgement.verdict is Verdict.PROVES else None
    differing = {rule.field: str(rule.expected) for rule in judgement.rules if rule.verdict == "differs"}
    return NotAllowed("fields_differ", fields=dict(differing)) if differing else None


def search_problem(said: Said, shown: Seen) -> NotAllowed | None:
    """Where the search shows the effect, what was entered must be what it shows."""
    if shown.judgement.verdict is Verdict.NOTHING:
        return None
    seen = shown.judgement.fields
    other = {name: "" for name, value in said.fields.items() if name in seen and not _spells(value, seen[name])}
    return NotAllowed("search_differs", fields=dict(other)) if other else None


def absence_problem(shown: Seen | None) -> NotAllowed | None:
    """Where the system can be searched, only a whole search that shows nothing of ours lets absence be concluded."""
    if shown is None or shown.judgement.because == "nothing_found":
        return None
    return NotAllowed("search_failed" if shown.judgement.because == "search_failed" else "search_differs")


def _spells(typed: Any, value: Any) -> bool:
    """Whether what a person typed, which is text, is that value."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return same(value, typed) or (number and isinstance(typed, str) and typed.strip() == str(value))


def _judged(held: Held, fields: Mapping[str, Any]) -> Judgement:
    checks = held.contract.effect_to_verify
    return judge(checks, arguments=held.arguments, fields=_typed(held, fields), names_us=True)


def _typed(held: Held, fields: Mapping[str, Any]) -> dict[str, Any]:
    """What a person types is text: where it spells the approved value exactly, it is that value."""
    approved = {check.field: held.arguments.get(check.argument or "") for check in held.contract.effect_to_verify}
    typed = {}
    for name, value in fields.items():
        text = value.strip() if isinstance(value, str) else value
        typed[name] = approved[name] if name in approved and _spells(text, approved[name]) else text
    return typed


def entered(held: Held, fields: Mapping[str, Any], *, person: User, words: str, link: str) -> Seen:
    """What a person entered, as an observation that is not kept yet."""
    return Seen(
        source=Evidence.Source.PERSON,
        judgement=_judged(held, fields) if fields else Judgement(Verdict.NOTHING, "told"),
        attempt=held.intent.attempt,
        person=person,
        words=words.strip(),
        link=link.strip(),
    )


def as_evidence(held: Held, said: Said, *, person: User) -> Seen:
    """The evidence of a conclusion."""
    fields = said.fields if said.finding == Finding.HAPPENED else {}
    seen = entered(held, fields, person=person, words=said.words, link=said.link)
    if said.finding == Finding.DID_NOT_HAPPEN:
        return replace(seen, judgement=Judgement(Verdict.DISPROVES, "established_by_person"))
    return seen
