"""Looks the effect up in the business system, on the declared schedule or when a person asks; never causes anything."""

from dataclasses import replace
from datetime import timedelta

from django.db import transaction

from intents.doubting import escalate, open_case, probe_due, searchable
from intents.establishing import Seen, learn
from intents.failpoints import Step, failpoint
from intents.holding import Held, glance, hold
from intents.models import Case, Evidence, Intent
from intents.searching import search
from intents.states import State
from journal.clock import now as database_now
from journal.recording import Actor
from tenancy.models import User

BETWEEN_PROBES = timedelta(seconds=2)
SERVER = Actor.server()
PROBED = frozenset({State.ACCEPTED, State.UNKNOWN})
PROBED_BY_PEOPLE = PROBED | {State.REOPENED}


class NotNow(Exception):
    """The business system was looked at a moment ago: wait two seconds."""


class NothingToLookUp(Exception):
    """The outcome is established, or was never in doubt: there is nothing to look up."""


class NotSearchable(Exception):
    """This business system cannot be searched by our reference: a person has to look."""


def probe(intent_id: int, *, actor: Actor = SERVER, by_person: User | None = None) -> State:
    """The business system was searched once by our reference, what it showed is kept; returns the state then.

    Exactly one effect that carries our reference and satisfies the contract confirms; another effect, or two,
    diverge; nothing found leaves it as it is. A scheduled probe that has nothing to do does nothing.

    Raises (for a person only):
        NotNow, NothingToLookUp, NotSearchable.
    """
    held = glance(intent_id)
    if not _may_probe(held, by_person):
        return held.state
    made = held.intent.probes_made
    seen = search(held, attempt=held.intent.attempt)
    failpoint(Step.LOOKED_UP)
    with transaction.atomic(durable=True):
        held = hold(intent_id)
        _take_in(held, seen, made=made, actor=actor, by_person=by_person)
        failpoint(Step.BEFORE_PROBE_COMMIT)
    return held.state


def _may_probe(held: Held, by_person: User | None) -> bool:
    if by_person is None:
        return held.state in PROBED and searchable(held)
    if held.state not in PROBED_BY_PEOPLE:
        raise NothingToLookUp(NothingToLookUp.__doc__)
    if not searchable(held):
        raise NotSearchable(NotSearchable.__doc__)
    last = Evidence.objects.filter(intent=held.intent, source=Evidence.Source.PROBE).order_by("-at").first()
    if last and database_now() - last.at < BETWEEN_PROBES:
        raise NotNow(NotNow.__doc__)
    return True


def _take_in(held: Held, seen: Seen, *, made: int, actor: Actor, by_person: User | None) -> None:
    now = database_now()
    before = held.state
    learn(held, _with_person(seen, by_person), actor=actor, now=now)
    if by_person is not None or held.state is not before or before not in PROBED or held.intent.probes_made != made:
        return
    if made >= len(held.contract.reconciliation.probe_after):  # asked for by news, after the schedule was spent
        Intent.objects.filter(pk=held.intent.pk, state=before, probes_made=made).update(next_probe_at=None)
        return
    due = probe_due(held, since=held.intent.changed_at, made=made + 1)
    Intent.objects.filter(pk=held.intent.pk, state=before, probes_made=made).update(
        probes_made=made + 1, next_probe_at=due
    )
    if due is None and before is State.UNKNOWN:
        case = open_case(held, kind=Case.Kind.UNKNOWN, cause=held.intent.cause, now=now)
        escalate(held, case, now=now, why="schedule_spent")


def _with_person(seen: Seen, by_person: User | None) -> Seen:
    return replace(seen, person=by_person) if by_person else seen
