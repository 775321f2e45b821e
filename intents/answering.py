"""Reads what came back from one hand-over and writes its outcome down once; a late answer is news, no overwrite."""

import logging
import time
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import Min

from intents.doubting import become_unknown, probe_due, searchable
from intents.ending import end_without_effect
from intents.establishing import Seen, keep, learn, refuse, settle
from intents.evidence import Judgement, judge
from intents.failpoints import Step, failpoint
from intents.holding import Held, hold
from intents.marking import Marked
from intents.models import Attempt, Evidence
from intents.moving import instant, move
from intents.outcomes import NO_ANSWER, Outcome, conclude, names_us, settled_by_confirmation, settled_by_search
from intents.searching import search
from intents.states import State
from intents.waiting import next_look
from journal.clock import now as database_now
from journal.kinds import Kind
from journal.recording import Actor
from journal.statements import change, say_later, together
from systems.adapters.base import Delivery, Reply

log = logging.getLogger(__name__)

# Writing down is no effect: it may be tried again, and the guards make it happen once.
PAUSES = (0.05, 0.3, 1.0, 3.0)


# Whatever happens to a proposal moves the head of its chain: while that is what the mark left, nothing did.
AS_MARKED = """
WITH marked AS MATERIALIZED (
    SELECT 1 FROM proposals_proposal WHERE id = $1 AND chain_length = $2 AND chain_digest = $3 FOR UPDATE
)
SELECT journal_one_row(count(*) FILTER (
    WHERE clock_timestamp() BETWEEN $4::timestamptz AND $4::timestamptz + $5::interval
      AND clock_timestamp() < $6::timestamptz
), $7) FROM marked
"""
CARRIED = timedelta(seconds=0.25)  # how old the clock may be that is carried on


class NotAsMarked(Exception):
    """The intent is not as its mark left it, or the clock that was carried on is not the database's."""


@dataclass(frozen=True)
class Answered:
    """What a reply means. `answer` is the observation it is (None if it says nothing), `search` the look after it."""

    outcome: Outcome
    answer: Seen | None
    search: Seen | None = None


def never_sent(fault: str) -> Reply:
    """The reply of a request that was not begun."""
    return Reply(
        delivery=Delivery.NEVER_SENT,
        fault=fault,
        status=None,
        content_type="",
        body_digest=None,
        excerpt="",
        readable=False,
        unreadable_because=None,
        success=False,
        accepted=False,
        refused=False,
        not_processed=False,
        reference=None,
        fields={},
        took=0.0,
    )


def read(marked: Marked, reply: Reply) -> Answered:
    """Say what a reply means, outside any transaction.

    An answer that proves nothing is followed by one look: the business system is searched by our reference, within
    the time of a look and not the attempt's. Where an earlier attempt may have had an effect after all, a success or
    a refusal settles only after the same search. Whoever dies here leaves `sending`, and its deadline passes.
    """
    held = marked.held
    echoes = held.adapter.config.capabilities.echoes
    named = names_us(reply, reference=held.reference, echoes=echoes)
    judgement = judge(held.contract.effect_to_verify, arguments=held.arguments, fields=reply.fields, names_us=named)
    outcome = conclude(reply, judgement, reference=held.reference, echoes=echoes)
    answer = None if outcome.result == NO_ANSWER else _as_seen(marked, reply, judgement, outcome)
    if outcome.alert:
        log.error("%s attempt %s: %s", held.intent.public_id, marked.number, outcome.cause)
    if marked.further and outcome.state in (State.CONFIRMED, State.REFUSED) and searchable(held):
        seen = search(held, attempt=marked.number, source=Evidence.Source.CONFIRMATION)
        complete = bool(seen.facts.get("complete"))
        return Answered(settled_by_search(outcome, seen.judgement, complete=complete), answer, seen)
    if answer is not None and outcome.state in (State.UNKNOWN, State.ACCEPTED) and searchable(held):
        seen = search(held, attempt=marked.number, source=Evidence.Source.CONFIRMATION)
        return Answered(settled_by_confirmation(outcome, seen.judgement), answer, seen)
    return Answered(outcome, answer)


def _as_seen(marked: Marked, reply: Reply, judgement: Judgement, outcome: Outcome) -> Seen:
    """Nothing of an answer about somebody else's effect is kept but its digest."""
    fields = {} if outcome.foreign else judgement.fields
    return Seen(
        source=Evidence.Source.ANSWER,
        judgement=Judgement(outcome.verdict, outcome.cause, judgement.rules, fields),
        attempt=marked.number,
        status=reply.status,
        fault=reply.fault or "",
        digest=reply.body_digest or "",
        excerpt="" if outcome.foreign else reply.excerpt,
    )


def write_outcome(marked: Marked, reply: Reply, answered: Answered) -> str:
    """The outcome is written where state and attempt still match; else the answer is appended as late evidence.

    Returns the state the intent is in then. A plain confirmation is written in one message, if nothing happened to the
    proposal since the mark; whatever else, and whatever comes between, is looked at again under lock. A lost connection
    or a serialization failure is tried again: what was written already is recognised by its key.
    """
    if plain(answered):
        try:
            return write_at_once(marked, reply, answered)
        except NotAsMarked:
            log.debug("%s: it is looked at again before the outcome is written", marked.held.intent.public_id)
        except (OperationalError, InterfaceError) as error:
            _let_go(marked, error)
    for pause in PAUSES:
        try:
            return _write(marked, reply, answered)
        except (OperationalError, InterfaceError) as error:
            _let_go(marked, error)
            time.sleep(pause)
    return _write(marked, reply, answered)


def _let_go(marked: Marked, error: Exception) -> None:
    log.warning("%s: writing the outcome failed (%s)", marked.held.intent.public_id, type(error).__name__)
    connection.close()


def plain(answered: Answered) -> bool:
    """Whether the outcome is a confirmation by the answer alone."""
    return answered.outcome.state is State.CONFIRMED and answered.answer is not None and answered.search is None


def write_at_once(marked: Marked, reply: Reply, answered: Answered) -> str:
    """What `_write` writes, in one message without reading first: `marked.held` is what the mark left.

    The message begins with the proposal's lock and ends with the COMMIT. The clock is the database's, as it was read
    when the mark was made, carried on by this process; the database compares it with its own.

    Raises:
        NotAsMarked: something happened to the proposal since, the time is over, or the clocks have parted.
    """
    held, now = marked.held, marked.at + timedelta(seconds=time.monotonic() - marked.read_at)
    with transaction.atomic(durable=True):
        failpoint(Step.OUTCOME_LOCKED)
        with together(commit=True):
            proposal = held.proposal
            given = [proposal.pk, proposal.chain_length, proposal.chain_digest, now, CARRIED, marked.attempt.deadline]
            say_later(AS_MARKED, given, otherwise=NotAsMarked(NotAsMarked.__doc__))
            _take_in(held, marked.attempt, reply, answered, now=now)
            failpoint(Step.BEFORE_OUTCOME_COMMIT)
    failpoint(Step.OUTCOME_WRITTEN)
    return held.intent.state


def _write(marked: Marked, reply: Reply, answered: Answered) -> str:
    with transaction.atomic(durable=True):
        held = hold(marked.held.intent.pk)
        now = held.now or database_now()
        failpoint(Step.OUTCOME_LOCKED)
        attempt = _attempt_of(held, marked.number)
        if not _written_already(attempt, answered):
            with together():
                _take_in(held, attempt, reply, answered, now=now)
        failpoint(Step.BEFORE_OUTCOME_COMMIT)
    failpoint(Step.OUTCOME_WRITTEN)
    return held.intent.state


def _attempt_of(held: Held, number: int) -> Attempt:
    if held.latest and held.latest.number == number:
        return held.latest
    return Attempt.objects.get(intent=held.intent, number=number)


def _written_already(attempt: Attempt, answered: Answered) -> bool:
    if attempt.result in (Attempt.Result.ANSWERED, Attempt.Result.NOT_DELIVERED):
        return True
    if attempt.result == Attempt.Result.OPEN:
        return False
    kept = Evidence.objects.filter(intent=attempt.intent_id, attempt=attempt.number, source=Evidence.Source.ANSWER)
    return answered.answer is None or kept.exists()


def _take_in(held: Held, attempt: Attempt, reply: Reply, answered: Answered, *, now: datetime) -> None:
    actor = Actor.worker(attempt.worker)
    current = held.state is State.SENDING and held.intent.attempt == attempt.number
    if current and now >= attempt.deadline and answered.outcome.state is not State.READY:
        # Its deadline has passed: whoever asked was told "unknown" already, so that is where it stands.
        close_attempt(attempt, result=Attempt.Result.NO_ANSWER, now=now)
        become_unknown(held, cause="deadline", actor=actor, now=now)
        current = False
    if current:
        close_attempt(attempt, result=answered.outcome.result, now=now, status=reply.status, fault=reply.fault or "")
        _apply(held, attempt, answered, actor=actor, now=now)
        return
    for seen in filter(None, (answered.answer, answered.search)):
        learn(held, replace(seen, late=True), actor=actor, now=now)


def close_attempt(attempt: Attempt, *, result: str, now: datetime, status: int | None = None, fault: str = "") -> None:
    """The attempt is closed, once."""
    still_open = {"intent_id": attempt.intent_id, "number": attempt.number, "result": Attempt.Result.OPEN}
    change(
        Attempt,
        where=still_open,
        result=result,
        closed_at=now,
        status=status,
        fault=fault[:64],
    )


def _apply(held: Held, attempt: Attempt, answered: Answered, *, actor: Actor, now: datetime) -> None:
    """The outcome of the attempt being sent, as the machine has it."""
    outcome = answered.outcome
    if outcome.state is State.READY:
        _not_delivered(held, attempt, outcome.cause, actor=actor, now=now)
        return
    kept = [keep(held, seen, actor=actor, now=now) for seen in (answered.answer, answered.search) if seen]
    if outcome.state is State.REFUSED:
        refuse(held, kept[0], actor=actor, now=now)
    elif outcome.state in (State.CONFIRMED, State.DIVERGED):
        settle(held, kept[-1], to=outcome.state, actor=actor, now=now)
    elif outcome.state is State.ACCEPTED:
        _accept(held, kept[0], actor=actor, now=now)
    else:
        become_unknown(
            held,
            cause=outcome.cause,
            actor=actor,
            now=now,
            probe_soon=outcome.probe_soon,
            facts={"evidence": [one.pk for one in kept]},
        )


def _accept(held: Held, evidence: Evidence, *, actor: Actor, now: datetime) -> None:
    deadline = now + held.contract.policy.outcome_within
    move(
        held,
        to=State.ACCEPTED,
        actor=actor,
        now=now,
        kind=Kind.ATTEMPT_ACCEPTED,
        expected=State.SENDING,
        fence=held.intent.attempt,
        facts={"evidence": evidence.pk, "outcome_deadline": instant(deadline)},
        deadline=deadline,
        probes_made=0,
        next_probe_at=probe_due(held, since=now, made=0),
    )


def _not_delivered(held: Held, attempt: Attempt, fault: str, *, actor: Actor, now: datetime) -> None:
    """This attempt provably never left: ready again after a pause, until the delivery budget is spent."""
    failed = Attempt.objects.filter(authorization=attempt.authorization_id, result=Attempt.Result.NOT_DELIVERED)
    tries, first = failed.count(), failed.aggregate(first=Min("marked_at"))["first"]
    budget = held.contract.execution
    again = next_look(now, looks=tries - 1, expires_at=held.authorization.expires_at)
    facts = {"number": attempt.number, "fault": fault, "tries": tries}
    if tries >= budget.delivery_attempts or again > first + budget.delivery_within:
        end_without_effect(held, cause="delivery_budget", actor=actor, now=now, facts=facts)
        return
    move(
        held,
        to=State.READY,
        actor=actor,
        now=now,
        kind=Kind.ATTEMPT_NOT_DELIVERED,
        expected=State.SENDING,
        fence=held.intent.attempt,
        facts={**facts, "next_look_at": instant(again)},
        deadline=None,
        next_look_at=again,
        looks=tries - 1,
        waiting="not_delivered",
        waiting_on=fault[:64],
    )
