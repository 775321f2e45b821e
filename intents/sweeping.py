"""Finds what no nudge reached and what time has decided; each row goes through the ordinary operation.

A sweep reads ids in small batches, works within a bounded time, and leaves the rest to the next. Whatever it
does is safe to do twice, and by two sweeps at once.
"""

import logging
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, Model, OuterRef, Q, QuerySet

from approvals.ending import expire
from approvals.models import Act, Authorization
from intents import cancelling, circuit, pausing, waking
from intents.answering import close_attempt
from intents.doubting import become_unknown
from intents.ending import end_without_effect
from intents.holding import hold, hold_proposal
from intents.models import Attempt, Cancellation, Intent, Progress
from intents.moving import Moved
from intents.opening import open_intent
from intents.states import State
from journal.clock import now as database_now
from journal.recording import Actor
from proposals import pacing
from proposals.models import ContractVersion, Proposal
from tenancy.models import Organization

log = logging.getLogger(__name__)

BATCH = 200
SECONDS = 4.0
SWEEP = Actor.worker("sweep")

Counts = Counter[str]
_ORGANIZATION: dict[type[Model], str] = {
    Authorization: "revision__proposal__organization",
    Intent: "organization",
    Proposal: "organization",
    Cancellation: "intent__organization",
}


def sweep() -> Counts:
    """Everything overdue is moved on, as far as the time allows; returns how many of each. Progress is written.

    The database is compared with the epoch file first: nobody is nudged for an organization that is paused.
    """
    pausing.compare()
    counts: Counts = Counter()
    end = time.monotonic() + SECONDS
    for name, due, act in _DUTIES:
        counts[name] = _drain(due, act, end=end)
    counts["nudged"] = waking.wake_ready()
    counts["probes"] = waking.wake_probes()
    counts["cancellations"] = waking.wake_cancellations()
    counts["notices"] = waking.wake_notices()
    circuit.forget(now=database_now())
    pacing.forget(now=database_now())
    pausing.keep()
    Progress.objects.update_or_create(duty="sweep", defaults={"at": database_now()})
    return +counts


def _drain(due: Callable[[], QuerySet], act: Callable[[int], bool], *, end: float) -> int:
    """Act on each due row, oldest first, until none is left or the time is over. A row that fails is left behind."""
    done, last = 0, 0
    while time.monotonic() < end:
        ids = _free(_played(due()).filter(pk__gt=last).order_by("pk"))
        if not ids:
            return done
        for pk in ids:
            last = pk
            done += _tried(act, pk)
            if time.monotonic() > end:
                return done
    return done


def _played(rows: QuerySet) -> QuerySet:
    """Without the stages of rehearsals: a rehearsal moves its own rows on, through its own wire."""
    return rows.exclude(**{f"{_ORGANIZATION[rows.model]}__in": Organization.objects.filter(rehearsal=True)})


def _free(rows: QuerySet) -> list[int]:
    """The next ids nobody is working on at this moment."""
    with transaction.atomic():
        locked = rows.select_for_update(skip_locked=True, of=("self",))
        return list(locked.values_list("pk", flat=True)[:BATCH])


def _tried(act: Callable[[int], bool], pk: int) -> bool:
    try:
        return act(pk)
    except Moved:
        return False
    except Exception:
        # One poisoned row must not stop the sweep for all the others; it is logged at every sweep.
        log.exception("the sweep could not move on %s %s", getattr(act, "__name__", "row"), pk)
        return False


# --- authorization without intent


def _unopened() -> QuerySet:
    waiting = Q(revision__intent__isnull=True) | Q(revision__intent__state=State.REOPENED)
    return Authorization.objects.filter(waiting, voided_at__isnull=True)


def _open(pk: int) -> bool:
    return open_intent(pk) is not None


# --- sending or accepted past its deadline → unknown. That one line is the product.


def _past_deadline() -> QuerySet:
    return Intent.objects.filter(state__in=[State.SENDING, State.ACCEPTED], deadline__lte=database_now())


def doubt(pk: int) -> bool:
    """An attempt whose deadline has passed is unknown, and so is an accepted order without outcome in time."""
    with transaction.atomic(durable=True):
        held, now = hold(pk), database_now()
        intent = held.intent
        if held.state not in (State.SENDING, State.ACCEPTED) or intent.deadline is None or now < intent.deadline:
            return False
        cause = "deadline" if held.state is State.SENDING else "outcome_deadline"
        attempt = Attempt.objects.get(intent=intent, number=intent.attempt)
        close_attempt(attempt, result=Attempt.Result.NO_ANSWER, now=now, fault=cause)
        become_unknown(held, cause=cause, actor=SWEEP, now=now, probe_soon=True)
    if cause == "deadline":  # whoever sent it died, or still waits: nobody else counts this silence
        circuit.note_silence(intent, attempt=attempt.number, cause=cause)
    return True


# --- ready past its authorization → void, expired


def _lapsed() -> QuerySet:
    return Intent.objects.filter(state=State.READY, authorization__expires_at__lte=database_now())


def lapse(pk: int) -> bool:
    """A ready intent whose authorization has ended is void: nothing was sent."""
    with transaction.atomic(durable=True):
        held, now = hold(pk), database_now()
        if held.state is not State.READY or now < held.authorization.expires_at:
            return False
        end_without_effect(held, cause="expired", actor=SWEEP, now=now)
    return True


# --- ready under a contract version that was retired → void


def _retired() -> QuerySet:
    return Intent.objects.filter(state=State.READY, revision__contract__state=ContractVersion.State.RETIRED)


def retire(pk: int) -> bool:
    """A ready intent whose contract version was retired is void: nothing was sent."""
    with transaction.atomic(durable=True):
        held = hold(pk)
        version = ContractVersion.objects.get(pk=held.revision.contract_id)
        if held.state is not State.READY or version.state != ContractVersion.State.RETIRED:
            return False
        end_without_effect(held, cause="contract_version_not_active", actor=SWEEP, now=database_now())
    return True


# --- reopened, and its new round was refused or lapsed → not executed


def _given_up() -> QuerySet:
    refused = Act.objects.filter(
        revision=OuterRef("revision"), kind=Act.Kind.REFUSAL, round__gt=OuterRef("authorization__round")
    )
    live = Authorization.objects.filter(revision=OuterRef("revision"), voided_at__isnull=True)
    lapsed = Q(revision__proposal__review_expires_at__lte=database_now())
    return Intent.objects.filter(Exists(refused) | lapsed, ~Exists(live), state=State.REOPENED)


def give_up(pk: int) -> bool:
    """A reopened intent whose new attempt was refused, or not signed in time, was not executed."""
    with transaction.atomic(durable=True):
        held, now = hold(pk), database_now()
        if held.state is not State.REOPENED:
            return False
        cause = given_up_cause(held.intent, held.proposal, now=now)
        if not cause:
            return False
        end_without_effect(held, cause=cause, actor=SWEEP, now=now)
    return True


def given_up_cause(intent: Intent, proposal: Proposal, *, now: datetime) -> str:
    """Why the new attempt of a reopened intent will not take place: `rejected`, `expired`, or empty."""
    if Authorization.objects.filter(revision=intent.revision_id, voided_at__isnull=True).exists():
        return ""
    further = Act.objects.filter(revision=intent.revision_id, kind=Act.Kind.REFUSAL)
    if further.filter(round__gt=intent.authorization.round).exists():
        return "rejected"
    return "expired" if now >= proposal.review_expires_at else ""


# --- awaiting past its review → expired


def _unreviewed() -> QuerySet:
    open_states = [Proposal.State.AWAITING_APPROVAL, Proposal.State.CHANGES_REQUESTED]
    return Proposal.objects.filter(state__in=open_states, review_expires_at__lte=database_now())


def expire_review(pk: int) -> bool:
    """A proposal nobody decided in time has expired: nothing was sent."""
    with transaction.atomic(durable=True):
        proposal, now = hold_proposal(pk), database_now()
        open_states = (Proposal.State.AWAITING_APPROVAL, Proposal.State.CHANGES_REQUESTED)
        if proposal.state not in open_states or now < proposal.review_expires_at:
            return False
        expire(proposal, now=now)
    return True


_DUTIES: tuple[tuple[str, Callable[[], QuerySet], Callable[[int], bool]], ...] = (
    ("unknown", _past_deadline, doubt),
    ("expired", _lapsed, lapse),
    ("retired", _retired, retire),
    ("opened", _unopened, _open),
    ("given_up", _given_up, give_up),
    ("unreviewed", _unreviewed, expire_review),
    ("unanswered_cancellations", cancelling.overdue, cancelling.give_up),
)
