"""Decides, and writes an attempt down before its first byte: the one transaction in which an intent is marked."""

import time
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import IntegrityError, InterfaceError, OperationalError, connection, transaction

from approvals import assessing
from approvals.policy import Decision, Question, decide
from intents.asking import question_at_hand_over, signed_as
from intents.ending import end_without_effect
from intents.establishing import Seen, keep, learn
from intents.evidence import Verdict
from intents.failpoints import Step, failpoint
from intents.fences import holder_for
from intents.holding import Held, hold, hold_with_gates
from intents.models import Attempt, Recheck
from intents.moving import instant, move
from intents.rechecks import SEND, VOID, WAIT, Approved, Row, Ruling, ledger, rule
from intents.states import State
from intents.waiting import wait
from journal.clock import now as database_now
from journal.kinds import Kind
from journal.recording import Actor
from journal.statements import append, together
from systems.adapters.base import Prepared

FENCE = "intents_one_doubt_per_object"
PROMPT = 0.05  # seconds; where taking the locks took longer, the clock is read again and none of it is lost


@dataclass(frozen=True)
class Look:
    """What was observed before anything is decided. `at` is the database's clock before the observation began.

    `held` is what the observation was about, as it stood then.
    """

    held: Held
    at: datetime
    target: assessing.Look
    search: Seen | None
    prepared: Prepared | None


@dataclass(frozen=True)
class Marked:
    """A committed mark. `ends` and `latest_start` are monotonic: the end of its time, and of leave to begin sending.

    `at` is the database's clock, read not later than `read_at` (monotonic). `further`: an earlier attempt may have been
    delivered.
    """

    held: Held
    attempt: Attempt
    prepared: Prepared
    at: datetime
    read_at: float
    ends: float
    latest_start: float
    further: bool

    @property
    def number(self) -> int:
        """Of the attempt that was marked."""
        return self.attempt.number


def decide_and_mark(look: Look, *, worker: str) -> Marked | str:
    """The attempt is marked and committed, or one word says why not.

    The unique index speaks last: where it finds another's doubt on the object, this intent waits.
    """
    try:
        return _in_one_transaction(look, worker=worker[:200])
    except IntegrityError as error:
        if _constraint_of(error) != FENCE:
            raise
    return _wait_for_fence(look.held.intent.pk, worker=worker[:200])


def _constraint_of(error: Exception) -> str:
    return getattr(getattr(error.__cause__, "diag", None), "constraint_name", None) or ""


def _in_one_transaction(look: Look, *, worker: str) -> Marked | str:
    came_of_it: Marked | str = "not_ready"
    try:
        with transaction.atomic(durable=True):
            clock = time.monotonic()  # before the database's clock is read: what is left is never overestimated
            held = hold_with_gates(look.held)
            failpoint(Step.LOCKED)
            if time.monotonic() - clock > PROMPT:
                clock, held.now = time.monotonic(), database_now()
                held.read_at = time.monotonic()
            if held.state is State.READY:
                with together(commit=True):
                    came_of_it = _ruled(held, look, worker=worker, clock=clock)
                    failpoint(Step.BEFORE_MARK_COMMIT)
        failpoint(Step.MARK_COMMITTED)
    except (OperationalError, InterfaceError):
        if isinstance(came_of_it, Marked) and _was_committed(came_of_it):
            return came_of_it
        raise
    return came_of_it


def _was_committed(marked: Marked) -> bool:
    """A COMMIT whose acknowledgement was lost is itself unknown: read back by key. Such a mark is ours to send."""
    connection.close()
    ours = {name: getattr(marked.attempt, name) for name in ("intent_id", "number", "worker", "marked_at")}
    return Attempt.objects.filter(**ours).exists()


def _ruled(held: Held, look: Look, *, worker: str, clock: float) -> Marked | str:
    actor = Actor.worker(worker)
    question = question_at_hand_over(held, look.target)
    now = question.now
    found = _effect_found(look.search)
    if found:
        learn(held, found, actor=actor, now=now)
        return f"found_{held.state}"
    decision = decide(question, held.contract)
    failpoint(Step.DECIDED)
    ruling = _ruling(held, look, question, decision)
    rows = ledger(_approved(held), decision.checks, state_now=question.target.state or None)
    if ruling.outcome == WAIT:
        return wait(held, ruling, rows, actor=actor, now=now)
    lines = [row.as_json() for row in rows]
    told = {"ledger": lines, "policy_version": decision.policy_version}
    _write_down(held, ruling, lines, now=now)
    if ruling.outcome == VOID:
        end_without_effect(held, cause=ruling.cause, actor=actor, now=now, facts=told)
        return ruling.cause
    return _mark(held, look, told, worker=worker, now=now, clock=clock)


def _effect_found(search: Seen | None) -> Seen | None:
    """What a search shows of an earlier attempt, if anything. Then nothing is sent.

    An effect that carries our reference differs from what was established, although a probative field is missing.
    """
    if search is None or search.judgement.verdict is not Verdict.NOTHING:
        return search
    if search.judgement.because != "incomplete":
        return None
    return replace(search, judgement=replace(search.judgement, verdict=Verdict.CONTRADICTS))


def _ruling(held: Held, look: Look, question: Question, decision: Decision) -> Ruling:
    ruling = rule(decision, now=question.now, expires_at=held.authorization.expires_at, looked_at=look.at)
    if ruling.outcome != SEND:
        return ruling
    if look.prepared is None:
        return Ruling(VOID, "cannot_prepare")
    if look.search and look.search.judgement.because == "search_failed":
        return Ruling(WAIT, waiting="target_unreachable")
    earlier = Attempt.objects.filter(intent=held.intent).order_by("number").first() if held.intent.attempt else None
    if earlier and earlier.digest != look.prepared.digest:
        return Ruling(VOID, "system_changed")
    return ruling


def _approved(held: Held) -> Approved:
    seen = held.revision.observation or {}
    return Approved(
        contract=held.contract.public_id,
        system_digest=held.revision.system_digest,
        requester="entitled",
        expires_at=held.authorization.expires_at.isoformat(),
        approvers=signed_as(held),
        scope=seen.get("scope"),
        state=seen.get("state"),
        version=held.revision.target_version,
    )


def _write_down(held: Held, ruling: Ruling, ledger: list[dict[str, Any]], *, now: datetime) -> None:
    append(
        Recheck,
        intent_id=held.intent.pk,
        attempt=held.intent.attempt + (ruling.outcome == SEND),
        at=now,
        outcome=ruling.outcome,
        ledger=ledger,
    )


def _mark(held: Held, look: Look, told: dict[str, Any], *, worker: str, now: datetime, clock: float) -> Marked:
    """The attempt exists, with the digest of its exact bytes and its deadline; the intent is being sent."""
    prepared, actor = look.prepared, Actor.worker(worker)
    assert prepared is not None  # a ruling to send exists only for a prepared request
    deadline = now + held.adapter.config.attempt_deadline
    latest = min(deadline, held.authorization.expires_at)  # sending may not begin after the approval has ended
    further = _may_have_been_delivered(held)
    if look.search:
        keep(held, look.search, actor=actor, now=now)
    number = held.intent.attempt + 1
    attempt = _create_attempt(held, prepared, number=number, worker=worker, now=now, deadline=deadline)
    move(
        held,
        to=State.SENDING,
        actor=actor,
        now=now,
        kind=Kind.ATTEMPT_MARKED,
        expected=State.READY,
        fence=held.intent.attempt,
        facts={**told, "digest": prepared.digest, "deadline": instant(deadline), "reference": held.reference},
        attempt=number,
        deadline=deadline,
        handed_over_at=now,
        next_look_at=None,
        waiting="",
        waiting_on="",
    )
    ends, latest_start = clock + (deadline - now).total_seconds(), clock + (latest - now).total_seconds()
    return Marked(held, attempt, prepared, now, held.read_at, ends, latest_start, further)


def _create_attempt(
    held: Held, prepared: Prepared, *, number: int, worker: str, now: datetime, deadline: datetime
) -> Attempt:
    values = {
        "intent_id": held.intent.pk,
        "number": number,
        "authorization_id": held.authorization.pk,
        "method": prepared.method,
        "url": prepared.url,
        "body": prepared.body,
        "digest": prepared.digest,
        "marked_at": now,
        "deadline": deadline,
        "worker": worker,
    }
    append(Attempt, **values)
    return Attempt(**values)


def _may_have_been_delivered(held: Held) -> bool:
    if held.intent.attempt == 0:
        return False
    return Attempt.objects.filter(intent=held.intent).exclude(result=Attempt.Result.NOT_DELIVERED).exists()


def _wait_for_fence(intent_id: int, *, worker: str) -> str:
    """Another was marked on the object while this one was deciding: it waits, and names that intent."""
    with transaction.atomic(durable=True):
        held = hold(intent_id)
        if held.state is not State.READY:
            return "not_ready"
        other = holder_for(held) or ""
        row = Row("object_fence", None, other, "waits", "Another intent was marked on the same object.")
        if held.contract.execution.on_fence == "refuse":
            now = database_now()
            end_without_effect(held, cause="object_fenced", actor=Actor.worker(worker), now=now)
            return "object_fenced"
        ruling = Ruling(WAIT, waiting="fence", on=other)
        return wait(held, ruling, (row,), actor=Actor.worker(worker), now=database_now())
