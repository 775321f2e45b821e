"""Hands an intent over once, or says so. The docstring of `hand_over` is the algorithm."""

import time

from django.db import IntegrityError

from approvals import assessing
from approvals.policy import TargetIs
from intents import circuit
from intents.answering import never_sent, read, write_outcome
from intents.failpoints import Step, failpoint
from intents.holding import glance
from intents.marking import Look, Marked, decide_and_mark
from intents.models import Intent
from intents.searching import search
from intents.states import State
from intents.withholding import forget, holds, keep_back, refused_by_database
from systems.adapters.base import CannotPrepare, Reply
from systems.adapters.registry import UnknownSystem

LOOKS = 2


def hand_over(intent_id: int, *, worker: str) -> str:
    """Hand a ready intent over, once; return in one word what came of it.

    0. While hand-over is paused, or the business system's circuit is open and another intent tries, nothing is even
       observed: it waits, visibly. The database refuses a mark all the same.
    1. Observe, without a transaction: the target in the requester's scope and, before any further attempt,
       the business system by our reference — a hit is evidence, and nothing is sent.
    2. Decide and mark, in one transaction: lock proposal, authorization, intent, then the gating rows for share;
       read the database's clock; ask the policy again over the fresh observation; write the ledger of rechecks.
       A refusal ends it with its cause; a stop, a fence or an unreachable target makes it wait, visibly.
       All yes: the attempt with the digest of its exact bytes and its deadline, state `sending`, committed.
    3. Hand over, without a transaction: one request within what is left of the deadline, counted monotonically.
    4. Write the outcome, in one transaction, where state and attempt still match; a late answer is evidence.
    """
    for _ in range(LOOKS):
        kept_back = keep_back(intent_id, worker=worker)
        if kept_back:
            return kept_back
        try:
            return _look_and_hand_over(intent_id, worker=worker)
        except IntegrityError as error:
            if not refused_by_database(error):
                raise
            forget()  # paused, or silent, since this process last asked
        finally:
            if holds().circuits:
                circuit.give_back(intent_id)
    return "not_ready"


def _look_and_hand_over(intent_id: int, *, worker: str) -> str:
    for _ in range(LOOKS):
        look = look_at(intent_id)
        if look is None:
            return "not_ready"
        failpoint(Step.OBSERVED)
        if look.target.target.known is TargetIs.UNREACHABLE:
            _note_silence(intent_id, cause="target_unreachable")
        came_of_it = decide_and_mark(look, worker=worker)
        if isinstance(came_of_it, Marked):
            failpoint(Step.MARKED)
            return _hand_over_once(came_of_it)
        if came_of_it != "observation_stale":
            return came_of_it
    return "observation_stale"


def look_at(intent_id: int) -> Look | None:
    """Step 1. None when the intent is not ready: somebody else was first, and this one leaves quietly."""
    try:
        held = glance(intent_id)
    except Intent.DoesNotExist:
        return None
    at = held.now
    if held.state is not State.READY or at is None:
        return None
    failpoint(Step.TAKEN_UP)
    target = assessing.look(held.contract, target=held.revision.target, scopes=[held.proposal.scope.code])
    try:
        further = held.intent.attempt > 0 and held.adapter.config.capabilities.can_look_up
        seen = search(held, attempt=held.intent.attempt) if further else None
        return Look(held, at, target, seen, held.adapter.prepare(held.order))
    except (CannotPrepare, UnknownSystem):
        return Look(held, at, target, None, None)


def _hand_over_once(marked: Marked) -> str:
    """Steps 3 and 4. Nothing is sent whose time, or whose approval, ended while this process was held up."""
    started = time.monotonic()
    if started >= min(marked.latest_start, marked.ends):
        reply = never_sent("too_late")
    else:
        reply = marked.held.adapter.submit(marked.prepared, seconds_left=marked.ends - started)
    failpoint(Step.HANDED_OVER)
    came_of_it = write_outcome(marked, reply, read(marked, reply))
    _heard(marked, reply)
    return came_of_it


def _note_silence(intent_id: int, *, cause: str, attempt: int | None = None) -> None:
    """What makes a circuit open is no part of the outcome, and written after it."""
    intent = Intent.objects.get(pk=intent_id)
    number = intent.attempt + 1 if attempt is None else attempt
    if circuit.note_silence(intent, attempt=number, cause=cause):
        forget()


def _heard(marked: Marked, reply: Reply) -> None:
    if circuit.silent(reply):
        _note_silence(marked.held.intent.pk, attempt=marked.number, cause=reply.fault or "no_answer")
    elif circuit.good(reply) and holds().circuits:
        circuit.close_after(marked.held.intent)
        forget()
