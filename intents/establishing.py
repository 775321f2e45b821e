"""Appends what was observed, and lets an intent in doubt move on positive evidence; news never overwrites."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from intents.doubting import close_case, open_case
from intents.evidence import Judgement, Verdict
from intents.holding import Held
from intents.models import Case, Evidence
from intents.moving import move, tell_of
from intents.states import State
from journal.digests import canonical
from journal.kinds import Kind
from journal.recording import Actor
from journal.statements import write
from tenancy.models import User

TEXT_LIMIT = 2000
WITHOUT_EFFECT = frozenset({State.NOT_EXECUTED, State.REFUSED, State.VOID})
MOVED_BY = {Verdict.PROVES: State.CONFIRMED, Verdict.CONTRADICTS: State.DIVERGED}


@dataclass(frozen=True)
class Seen:
    """One observation of the business system, judged, with where it comes from (a word of Evidence.Source)."""

    source: str
    judgement: Judgement
    attempt: int
    observed_at: datetime | None = None  # by the database's clock before a look began, or by the sender's; else now
    status: int | None = None
    fault: str = ""
    digest: str = ""
    excerpt: str = ""
    late: bool = False
    person: User | None = None
    link: str = ""
    words: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)


def keep(held: Held, seen: Seen, *, actor: Actor, now: datetime) -> Evidence:
    """The observation is appended to the intent, and told. Nothing moves."""
    judgement = seen.judgement
    evidence = Evidence(
        id=held.evidence_id,
        intent=held.intent,
        attempt=seen.attempt,
        source=seen.source,
        verdict=judgement.verdict,
        because=judgement.because[:64],
        at=now,
        observed_at=seen.observed_at or now,
        status=seen.status,
        fault=seen.fault[:64],
        fields=kept_fields(held, judgement.fields),
        rules=[storable(rule.as_json()) for rule in judgement.rules],
        digest=seen.digest,
        excerpt=storable(seen.excerpt),
        late=seen.late,
        person=seen.person,
        link=seen.link,
        words=seen.words,
    )
    held.evidence_id = None
    write(evidence)
    kind = Kind.PROBE_MADE if seen.source == Evidence.Source.PROBE else Kind.EVIDENCE_RECORDED
    facts = {**_facts(evidence, because=judgement.because), **seen.facts}
    tell_of(held, kind=kind, actor=actor, now=now, facts=facts, personal=_personal(seen))
    return evidence


def learn(held: Held, seen: Seen, *, actor: Actor, now: datetime) -> Evidence:
    """The observation is appended; an intent in doubt moves if it proves or contradicts, a settled one gets a case."""
    evidence = keep(held, seen, actor=actor, now=now)
    verdict = seen.judgement.verdict
    if held.state is State.ACCEPTED and verdict is Verdict.DISPROVES:
        refuse(held, evidence, actor=actor, now=now)
    elif _open_to_news(held) and verdict in MOVED_BY:
        settle(held, evidence, to=MOVED_BY[verdict], actor=actor, now=now)
    elif _contradicts_the_end(held, verdict):
        open_case(held, kind=Case.Kind.DIVERGED, cause=f"found_on_{held.state}", now=now)
    return evidence


def settle(held: Held, evidence: Evidence, *, to: State, actor: Actor, now: datetime) -> None:
    """The intent is confirmed or diverged on this evidence, in the caller's transaction."""
    confirmed, sending = to is State.CONFIRMED, held.state is State.SENDING
    move(
        held,
        to=to,
        actor=actor,
        now=now,
        kind=Kind.OUTCOME_CONFIRMED if confirmed else Kind.OUTCOME_DIVERGED,
        expected=held.state,
        fence=held.intent.attempt,
        facts=_facts(evidence),
        cause="" if confirmed else "differs",
        output=output_of(held, evidence.fields) if confirmed else None,
        confirmed_by=evidence.source if confirmed else "",
    )
    if not confirmed:
        open_case(held, kind=Case.Kind.DIVERGED, cause="differs", now=now)
    elif not sending:  # what is being sent has no case yet
        close_case(held, how=State.CONFIRMED, actor=actor, now=now)


def refuse(held: Held, evidence: Evidence, *, actor: Actor, now: datetime) -> None:
    """The business system refused definitively: no effect, in the caller's transaction."""
    move(
        held,
        to=State.REFUSED,
        actor=actor,
        now=now,
        kind=Kind.ATTEMPT_REFUSED,
        expected=held.state,
        fence=held.intent.attempt,
        facts=_facts(evidence),
        cause=f"status_{evidence.status}" if evidence.status else "",
    )


def _open_to_news(held: Held) -> bool:
    """In doubt: accepted, unknown, reopened — or ready again after an attempt that may have had an effect after all."""
    in_doubt = held.state in (State.ACCEPTED, State.UNKNOWN, State.REOPENED)
    return in_doubt or (held.state is State.READY and held.intent.attempt > 0)


def _contradicts_the_end(held: Held, verdict: Verdict) -> bool:
    if held.state in WITHOUT_EFFECT:
        return verdict in MOVED_BY
    return held.state is State.CONFIRMED and verdict in (Verdict.CONTRADICTS, Verdict.DISPROVES)


def output_of(held: Held, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of the output contract, in its order, as far as they fit its size."""
    output: dict[str, Any] = {}
    for name in held.contract.output_fields:
        if name in fields and len(canonical({**output, name: fields[name]})) <= held.contract.output_max_bytes:
            output[name] = fields[name]
    return output


def kept_fields(held: Held, fields: Mapping[str, Any]) -> dict[str, Any]:
    """What evidence keeps of an observation: the fields that the contract verifies or outputs, storable."""
    wanted = {check.field for check in held.contract.effect_to_verify} | {*held.contract.output_fields, "effects"}
    return {name: storable(value) for name, value in fields.items() if name in wanted}


def storable(value: Any) -> Any:
    """The value without what no database or journal holds: NUL, lone surrogates, huge numbers, endless text."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode().replace("\x00", "\N{REPLACEMENT CHARACTER}")[:TEXT_LIMIT]
    if isinstance(value, Mapping):
        return {storable(str(name)): storable(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [storable(part) for part in value]
    try:
        canonical(value)
    except ValueError:
        return str(value)[:TEXT_LIMIT]
    return value


def _facts(evidence: Evidence, *, because: str = "") -> dict[str, Any]:
    facts = {
        "evidence": evidence.pk,
        "attempt": evidence.attempt,
        "source": evidence.source,
        "verdict": evidence.verdict,
        "fields": evidence.fields,
        "rules": evidence.rules,
        "digest": evidence.digest,
        "late": evidence.late,
    }
    optional = {"because": because, "status": evidence.status, "fault": evidence.fault}
    return facts | {name: value for name, value in optional.items() if value}


def _personal(seen: Seen) -> dict[str, Any] | None:
    words = {"words": seen.words, "link": seen.link}
    return {name: value for name, value in words.items() if value} or None
