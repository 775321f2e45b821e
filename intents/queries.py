"""Reads intents for those who work on them. Scope stands in the query itself: what is foreign is missing."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from intents.caseboard import LADDER, visible_cases
from intents.caseload import intent_id_of, why_not_responsible
from intents.concluding import REASONS
from intents.doubting import searchable
from intents.holding import Held, glance
from intents.ladder import Step, climb
from intents.lifting import asked_for, why_not_ask, why_not_lift
from intents.lifts import Lift
from intents.models import Attempt, Case, Conclusion, Evidence, Intent, Recheck
from intents.reconciling import pending
from intents.standing import Standing, standing
from intents.states import State
from intents.verifying import PROBED_BY_PEOPLE
from journal.clock import now as database_now
from journal.queries import Told, entries_of
from proposals.contracts import Contract, contract_of
from systems.adapters.registry import UnknownSystem
from systems.capabilities import Capabilities
from tenancy.models import User

__all__ = ["CaseView", "Field", "Standing", "case", "ladder", "standing"]


@dataclass(frozen=True)
class Field:
    """One field of the effect to verify: what it must show (`expected` is None where it must only be there)."""

    name: str
    rule: str
    expected: Any


@dataclass(frozen=True)
class Acts:
    """What the person may do now; each is empty when it may be done, else the code that says why not."""

    take: str
    work: str
    probe: str
    happened: str
    did_not_happen: str
    second: str
    close: str
    ask_to_lift: str
    lift: str


@dataclass(frozen=True)
class CaseView:
    """A case with everything that was tried and seen, for one person at one instant of the database's clock.

    `case` is the open one, else the last; None for an intent that never was in doubt. `absence_left` is how long an
    effect may still appear; zero once its absence means something.
    """

    held: Held
    case: Case | None
    standing: Standing
    now: datetime
    attempts: list[Attempt]
    evidence: list[Evidence]
    ladder: tuple[Step, ...]
    rechecks: list[Recheck]
    conclusions: list[Conclusion]
    pending: Conclusion | None
    lift: Lift | None
    journal: list[Told]
    fields: tuple[Field, ...]
    capabilities: Capabilities | None
    person_url: str | None
    absence_meaningful_at: datetime | None
    absence_left: timedelta
    waiting_on_it: list[Intent]
    acts: Acts
    reasons: Mapping[str, tuple[str, ...]]

    @property
    def intent(self) -> Intent:
        """The intent the case is about."""
        return self.held.intent

    @property
    def contract(self) -> Contract:
        """The contract version that was approved."""
        return self.held.contract


def ladder(intent: Intent) -> tuple[Step, ...]:
    """How far the proof of this intent reaches; empty where nothing was handed over."""
    if not intent.attempt:
        return ()
    return climb(intent.attempts.only("result", "marked_at"), intent.evidence.only(*LADDER))


def case(person: User, public_id: str, *, language: str = "en") -> CaseView:
    """The case of `I-42`; Intent.DoesNotExist alike for a bad id, a foreign intent, or none."""
    intent_id = intent_id_of(public_id)
    cases = visible_cases(person).filter(intent=intent_id).select_related("owner")
    found = cases.filter(closed_at__isnull=True).first() or cases.order_by("-pk").first()
    if found is None:
        raise Intent.DoesNotExist
    held, now = glance(intent_id), database_now()
    absence = held.intent.absence_meaningful_at
    attempts = list(held.intent.attempts.order_by("number"))
    evidence = list(held.intent.evidence.select_related("person").order_by("pk"))
    return CaseView(
        held=held,
        case=found,
        standing=standing(held.proposal, language=language, now=now, revision=held.revision),
        now=now,
        attempts=attempts,
        evidence=evidence,
        ladder=climb(attempts, evidence),
        rechecks=list(held.intent.rechecks.order_by("pk")),
        conclusions=_conclusions(held),
        pending=pending(found) if found.closed_at is None else None,
        lift=asked_for(found) if found.closed_at is None else None,
        journal=entries_of(held.proposal.public_id),
        fields=_fields(held),
        capabilities=_capabilities(held),
        person_url=_person_url(held),
        absence_meaningful_at=absence,
        absence_left=max(absence - now, timedelta(0)) if absence else timedelta(0),
        waiting_on_it=list(Intent.objects.filter(state=State.READY, waiting_on=held.intent.public_id).order_by("pk")),
        acts=_acts(held, found, person, now=now),
        reasons=REASONS,
    )


def _conclusions(held: Held) -> list[Conclusion]:
    rows = Conclusion.objects.filter(case__intent=held.intent)
    return list(rows.select_related("person", "seconded_by", "evidence").order_by("pk"))


def _fields(held: Held) -> tuple[Field, ...]:
    checks = held.contract.effect_to_verify
    return tuple(
        Field(check.field, check.rule, held.arguments.get(check.argument) if check.argument else None)
        for check in checks
    )


def _capabilities(held: Held) -> Capabilities | None:
    try:
        return held.adapter.config.capabilities
    except UnknownSystem:
        return None


def _person_url(held: Held) -> str | None:
    """Where a person sees the effect, as far as evidence names it, else the target."""
    shown = held.intent.evidence.filter(verdict__in=["proves", "contradicts"]).order_by("-pk").first()
    about = shown.fields if shown and "effects" not in shown.fields else held.revision.target
    try:
        return held.adapter.person_url(held.order.operation, about)
    except (UnknownSystem, LookupError):
        return None


def _acts(held: Held, found: Case, person: User, *, now: datetime) -> Acts:
    closed = "closed" if found.closed_at else ""
    right = closed or why_not_responsible(held, found, person)
    work = right or ("" if found.owner_id == person.pk else "not_yours" if found.owner_id else "take_it_first")
    unknown = work or ("" if held.state is State.UNKNOWN else "closed")
    absence = held.intent.absence_meaningful_at
    return Acts(
        take=right or ("already_yours" if found.owner_id == person.pk else ""),
        work=work,
        probe=_why_no_probe(held, right),
        happened=unknown,
        did_not_happen=unknown or ("too_early" if absence and now < absence else ""),
        second=right or _why_not_second(found, person),
        close=work or ("" if found.kind == Case.Kind.DIVERGED else "closed"),
        ask_to_lift=why_not_ask(found, held.intent, work=work),
        lift=why_not_lift(found, person, right=right),
    )


def _why_no_probe(held: Held, right: str) -> str:
    if held.state not in PROBED_BY_PEOPLE:
        return "closed"
    return right or ("" if searchable(held) else "not_searchable")


def _why_not_second(found: Case, person: User) -> str:
    waits = pending(found)
    if waits is None or not contract_of(found.intent.revision.contract).reconciliation.second_person:
        return "nothing_to_second"
    return "second_yourself" if waits.person_id == person.pk else ""
