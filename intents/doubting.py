"""Doubt is a state, and its owner is a person: unknown outcomes, the probes they are due, and the cases opened."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Max

from intents.holding import Held
from intents.models import Case, Intent
from intents.moving import instant, move, tell_of, wake_waiters
from intents.states import State
from journal.kinds import Kind
from journal.recording import Actor
from proposals.nudging import nudge
from systems.adapters.registry import UnknownSystem


def become_unknown(
    held: Held,
    *,
    cause: str,
    actor: Actor,
    now: datetime,
    probe_soon: bool = False,
    facts: Mapping[str, Any] | None = None,
) -> None:
    """The outcome is unknown: the object stays fenced, probes are due, and a case is open for the named role.

    "Did not happen" may be concluded no earlier than the deadline of what was handed over (the outcome's, if it
    was accepted) and the time an effect may stay invisible after it.
    """
    meaningful = (held.intent.deadline or now) + visibility_delay(held)
    first = now if probe_soon and searchable(held) else probe_due(held, since=now, made=0)
    move(
        held,
        to=State.UNKNOWN,
        actor=actor,
        now=now,
        kind=Kind.OUTCOME_UNKNOWN,
        expected=held.state,
        fence=held.intent.attempt,
        facts={"cause": cause, "absence_meaningful_at": instant(meaningful), **(facts or {})},
        cause=cause,
        absence_meaningful_at=meaningful,
        probes_made=0,
        next_probe_at=first,
    )
    case = open_case(held, kind=Case.Kind.UNKNOWN, cause=cause, now=now)
    if first is None:
        escalate(held, case, now=now, why="no_search" if not searchable(held) else "no_schedule")
    elif first <= now:
        nudge("intents.tasks.probe", held.intent.pk)


def searchable(held: Held) -> bool:
    """Whether the business system can be asked for an effect by our reference."""
    try:
        return held.adapter.config.capabilities.can_look_up
    except UnknownSystem:
        return False


def look_soon(held: Held, *, now: datetime) -> None:
    """An order in doubt is looked up at once, where its system can be searched. In the caller's transaction."""
    if held.state not in (State.ACCEPTED, State.UNKNOWN) or not searchable(held):
        return
    Intent.objects.filter(pk=held.intent.pk, state=held.state).update(next_probe_at=now)
    nudge("intents.tasks.probe", held.intent.pk)


def visibility_delay(held: Held) -> timedelta:
    """How long an effect may stay invisible: the longer of what the contract and the system declare."""
    try:
        declared = held.adapter.config.capabilities.settles_after
    except UnknownSystem:
        declared = None
    return max(held.contract.reconciliation.visibility_delay, declared or timedelta(0))


def probe_due(held: Held, *, since: datetime, made: int) -> datetime | None:
    """When the next probe of the declared schedule is due, counted from the beginning of the state; None after it."""
    schedule = held.contract.reconciliation.probe_after
    if made >= len(schedule) or not searchable(held):
        return None
    return since + schedule[made]


def open_case(held: Held, *, kind: str, cause: str, now: datetime) -> Case:
    """A case of this kind is open for the contract's role; a case of another kind gives way to it, with its owner."""
    present = Case.objects.filter(intent=held.intent, closed_at__isnull=True).first()
    if present and present.kind == kind:
        return present
    owner, owned_at = (present.owner, present.owned_at) if present else (None, None)
    if present:
        close_case(held, how=kind, actor=Actor.server(), now=now)
    last = Case.objects.filter(intent=held.intent).aggregate(version=Max("version"))["version"] or 0
    return Case.objects.create(
        intent=held.intent,
        version=last + 1,  # counted over all cases of the intent: a page of an earlier one is outdated for good
        kind=kind,
        cause=cause,
        role=held.contract.reconciliation.escalate_to,
        opened_at=now,
        owner=owner,
        owned_at=owned_at,
    )


def close_case(held: Held, *, how: str, actor: Actor, now: datetime) -> None:
    """The open case, if any, is closed; `how` is one word that is kept with it. Others may touch the object again."""
    case = Case.objects.filter(intent=held.intent, closed_at__isnull=True).first()
    if case is None:
        return
    Case.objects.filter(pk=case.pk, closed_at__isnull=True).update(
        closed_at=now, closed_how=how, version=case.version + 1
    )
    tell_of(held, kind=Kind.CASE_CLOSED, actor=actor, now=now, facts={"case": case.pk, "how": how})
    if case.kind == Case.Kind.DIVERGED:
        wake_waiters(held, now=now)


def escalate(held: Held, case: Case, *, now: datetime, why: str) -> None:
    """Nothing the server may do will establish the outcome: the role is told so, once."""
    if Case.objects.filter(pk=case.pk, escalated_at__isnull=True).update(escalated_at=now):
        facts = {"case": case.pk, "role": case.role, "why": why}
        tell_of(held, kind=Kind.RECONCILIATION_ESCALATED, actor=Actor.server(), now=now, facts=facts)
