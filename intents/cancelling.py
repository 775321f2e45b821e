"""Asks a business system to take an order back: once, after a person asked for it, where the system offers it.

A cancellation names the effect as the business system showed it, so it is sent only when there is something to name.
Its answer is evidence of its own and moves nothing: what became of the order is only what is then observed.
"""

import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from approvals.models import Act
from intents.answering import never_sent
from intents.doubting import look_soon
from intents.establishing import Seen, keep
from intents.evidence import Judgement, Verdict
from intents.failpoints import Step, failpoint
from intents.holding import Held, hold
from intents.models import Cancellation, Evidence, Pause
from intents.moving import instant, tell_of
from intents.outcomes import names_us
from intents.states import FINAL, State
from journal.clock import now as database_now
from journal.kinds import Kind
from journal.recording import Actor
from proposals.contracts import Contract
from proposals.models import Proposal
from proposals.nudging import nudge
from systems.adapters.base import CannotPrepare, Delivery, Reply
from systems.adapters.registry import UnknownSystem
from tenancy.access import entitling_role, lock_entitlements
from tenancy.models import User

Result = Cancellation.Result
MAY_BE_NAMED = frozenset({State.ACCEPTED, State.UNKNOWN, State.CONFIRMED})


@dataclass(frozen=True)
class _Marked:
    """A committed mark; `ends` is the monotonic end of its time."""

    row: Cancellation
    held: Held
    ends: float


def offered(held: Held) -> bool:
    """Whether the business system declares that it takes orders of this kind back."""
    try:
        config = held.adapter.config
    except UnknownSystem:
        return False
    operation = config.operations.get(held.contract.execution.operation)
    return config.capabilities.can_cancel and operation is not None and operation.has("cancel")


def may_ask(proposal: Proposal, contract: Contract, person: User) -> bool:
    """Whether the person may ask for it: who may sign, who establishes outcomes, or for whom it was asked."""
    roles = (*contract.policy.approver_roles, contract.reconciliation.escalate_to)
    role = entitling_role(person, organization=proposal.organization, scope=proposal.scope, roles=roles)
    return role is not None or person.pk == proposal.requester_id


def ask(held: Held, act: Act, *, now: datetime) -> None:
    """The request is to be sent, where the system offers it and none was sent yet. In the caller's transaction."""
    if not offered(held):
        return
    if Cancellation.objects.filter(intent=held.intent).exclude(result=Result.NOT_DELIVERED).exists():
        return
    Cancellation.objects.create(intent=held.intent, act=act)
    look_soon(held, now=now)  # there may be something to name already
    nudge("intents.tasks.cancel", held.intent.pk)


def cancel(intent_id: int, *, worker: str) -> str:
    """The cancellation that was asked for is sent, once; returns in one word what came of it.

    1. Mark, in one transaction: the same lock on the proposal as a hand-over; the person may still ask for it; an
       effect that carries our reference was shown; hand-over is not paused. The row is committed before any byte.
    2. Send one request, without a transaction, within the system's attempt deadline.
    3. Write down what it answered, as evidence. The intent stands where it stood.
    """
    marked = _mark(intent_id, worker=worker[:200])
    if isinstance(marked, str):
        return marked
    failpoint(Step.CANCELLATION_MARKED)
    reply = _send(marked)
    failpoint(Step.CANCELLATION_ANSWERED)
    return _write(marked, reply)


def _mark(intent_id: int, *, worker: str) -> _Marked | str:
    clock = time.monotonic()
    with transaction.atomic(durable=True):
        held = hold(intent_id)
        row = Cancellation.objects.select_for_update().filter(intent=intent_id, result=Result.ASKED).first()
        if row is None:
            return "nothing_asked"
        lock_entitlements(persons=[row.act.person], organization=held.proposal.organization)
        now, fields = database_now(), shown(held)
        if _in_vain(held, row):
            Cancellation.objects.filter(pk=row.pk).update(result=Result.NEEDLESS, closed_at=now)
            return "needless"
        if held.state not in MAY_BE_NAMED or fields is None:
            return "nothing_to_name"
        if Pause.objects.filter(organization=held.intent.organization_id, lifted_at__isnull=True).exists():
            return "paused"
        _write_down(held, row, fields, worker=worker, now=now)
    return _Marked(row, held, clock + held.adapter.config.attempt_deadline.total_seconds())


def _in_vain(held: Held, row: Cancellation) -> bool:
    """No effect is left to take back, people work on another one, or whoever asked may not ask any more."""
    over = held.state in FINAL and held.state is not State.CONFIRMED
    return over or not offered(held) or not may_ask(held.proposal, held.contract, row.act.person)


def shown(held: Held) -> dict[str, Any] | None:
    """What the business system showed of the effect that carries our reference, or of the order it accepted."""
    kept = Evidence.objects.filter(intent=held.intent).exclude(fields={}).order_by("-pk")
    naming = kept.filter(verdict=Evidence.Verdict.PROVES) | kept.filter(because="accepted")
    found = naming.exclude(source=Evidence.Source.PERSON).values_list("fields", flat=True).first()
    return dict(found) if found else None


def _write_down(held: Held, row: Cancellation, fields: dict[str, Any], *, worker: str, now: datetime) -> None:
    deadline = now + held.adapter.config.attempt_deadline
    row.fields, row.marked_at, row.deadline, row.worker, row.result = fields, now, deadline, worker, Result.OPEN
    row.save(update_fields=["fields", "marked_at", "deadline", "worker", "result"])
    facts = {"act": row.act_id, "fields": fields, "deadline": instant(deadline), "reference": held.reference}
    tell_of(held, kind=Kind.CANCELLATION_SENT, actor=Actor.worker(worker), now=now, facts=facts)


def _send(marked: _Marked) -> Reply:
    if time.monotonic() >= marked.ends:
        return never_sent("too_late")
    try:
        return marked.held.adapter.cancel(marked.held.order, marked.row.fields)
    except CannotPrepare:
        return never_sent("cannot_prepare")


def _write(marked: _Marked, reply: Reply) -> str:
    result = _result_of(marked.held, reply)
    with transaction.atomic(durable=True):
        held, now = hold(marked.held.intent.pk), database_now()
        actor = Actor.worker(marked.row.worker)
        _close(marked.row, result, now=now, status=reply.status, fault=reply.fault or "")
        evidence = keep(held, _as_seen(marked, reply, result), actor=actor, now=now)
        facts = {"result": result, "evidence": evidence.pk, "status": reply.status or 0}
        tell_of(held, kind=Kind.CANCELLATION_ANSWERED, actor=actor, now=now, facts=facts)
        look_soon(held, now=now)
    return result


def _result_of(held: Held, reply: Reply) -> str:
    if reply.delivery is Delivery.NEVER_SENT:
        return Result.NOT_DELIVERED
    whole = reply.delivery is Delivery.ANSWERED and not reply.fault
    named = names_us(reply, reference=held.reference, echoes=held.adapter.config.capabilities.echoes)
    if whole and reply.success and named:
        return Result.CANCELLED
    return Result.REFUSED if whole and reply.refused else Result.NO_ANSWER


def _as_seen(marked: _Marked, reply: Reply, result: str) -> Seen:
    """It proves nothing about the order: whoever cancels says so, and what is left is looked up."""
    foreign = reply.reference not in (None, marked.held.reference)
    return Seen(
        source=Evidence.Source.CANCELLATION,
        judgement=Judgement(Verdict.NOTHING, result, (), {} if foreign else reply.fields),
        attempt=marked.held.intent.attempt,
        status=reply.status,
        fault=reply.fault or "",
        digest=reply.body_digest or "",
        excerpt="" if foreign else reply.excerpt,
    )


def _close(row: Cancellation, result: str, *, now: datetime, status: int | None = None, fault: str = "") -> bool:
    still_open = Cancellation.objects.filter(pk=row.pk, result=Result.OPEN)
    return bool(still_open.update(result=result, closed_at=now, status=status, fault=fault[:64]))


def give_up(pk: int) -> bool:
    """A cancellation whose time is over has no answer: whoever sent it died, or still waits."""
    row = Cancellation.objects.get(pk=pk)
    with transaction.atomic(durable=True):
        held, now = hold(row.intent_id), database_now()
        if not _close(row, Result.NO_ANSWER, now=now, fault="deadline"):
            return False
        facts = {"result": Result.NO_ANSWER, "fault": "deadline"}
        tell_of(held, kind=Kind.CANCELLATION_ANSWERED, actor=Actor.worker("sweep"), now=now, facts=facts)
    return True


def overdue() -> QuerySet[Cancellation]:
    """Those that are being sent, and whose time is over."""
    return Cancellation.objects.filter(result=Result.OPEN, deadline__lte=database_now())


def waiting() -> QuerySet[Cancellation]:
    """Those that may have something to name, or nothing left to do."""
    return Cancellation.objects.filter(result=Result.ASKED, intent__state__in=[*FINAL, State.ACCEPTED]).order_by("pk")
