"""One circuit per business system: silence opens it, one intent at a time tries, a good answer closes it.

What is counted are attempts that no answer came to, and looks before them; an answer, of whatever kind, in between
starts the count anew. While it is open nothing is observed or sent but by the one intent that tries. Nothing is sent
again because of it: an attempt that may have been delivered stays an unknown outcome.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, Max, Min, Q

from intents.holding import glance
from intents.models import Attempt, Circuit, Intent, Silence
from intents.states import State
from journal.clock import now as database_now
from journal.kinds import Kind
from journal.recording import Actor, record
from systems.adapters.base import Delivery, Reply
from tenancy.models import User

WAITING = "circuit"
RECENT = 1000  # attempts: how far back an answer is looked for, whatever the size of the table
LONGEST = timedelta(minutes=5)
TRIAL = timedelta(seconds=30)  # beyond the deadline of an attempt: whoever tries may have died
OURS = frozenset({"too_late"})  # never sent for a reason of this process: says nothing about the business system
BUSY = frozenset({408, 425, 429})


class NotOpen(ValueError):
    """The circuit of this business system is not open."""


def silent(reply: Reply) -> bool:
    """Whether no answer came, for a reason of the business system or of the way to it."""
    return reply.delivery is not Delivery.ANSWERED and reply.fault not in OURS


def good(reply: Reply) -> bool:
    """Whether the business system answered as one that works."""
    whole = reply.delivery is Delivery.ANSWERED and not reply.fault and not reply.not_processed
    return whole and reply.status is not None and reply.status < 500 and reply.status not in BUSY


def note_silence(intent: Intent, *, attempt: int, cause: str) -> bool:
    """The silence is counted, once for each attempt; returns whether the circuit is open then.

    The last of `CIRCUIT_SILENCES` within `CIRCUIT_WINDOW` opens it; on the intent that tries, the next try is later.
    """
    with transaction.atomic(durable=True):
        row = _locked(intent.organization_id, intent.system)
        now = database_now()
        Silence.objects.update_or_create(
            intent_id=intent.pk,
            attempt=attempt,
            defaults={
                "organization_id": intent.organization_id,
                "system": intent.system,
                "at": now,
                "cause": cause[:64],
            },
        )
        if row.opened_at is not None:
            if row.trial_id == intent.pk:
                _try_later(row, cause=cause, now=now)
            return True
        since = _silent_since(row, now=now)
        if since is None:
            return False
        _open(row, cause=cause, now=now)
        return True


def _locked(organization: int, system: str) -> Circuit:
    Circuit.objects.bulk_create([Circuit(organization_id=organization, system=system)], ignore_conflicts=True)
    return Circuit.objects.select_for_update().get(organization=organization, system=system)


def _silent_since(row: Circuit, *, now: datetime) -> datetime | None:
    """The first of enough silences with no answer after it, or None."""
    counted = Silence.objects.filter(
        organization=row.organization_id, system=row.system, at__gt=now - settings.CIRCUIT_WINDOW
    )
    if row.closed_at is not None:
        counted = counted.filter(at__gt=row.closed_at)
    times = list(counted.order_by("-at").values_list("at", flat=True)[: settings.CIRCUIT_SILENCES])
    if len(times) < settings.CIRCUIT_SILENCES:
        return None
    return None if _answered_since(row, times[-1]) else times[-1]


def _answered_since(row: Circuit, moment: datetime) -> bool:
    latest = Attempt.objects.aggregate(pk=Max("pk"))["pk"] or 0
    answers = Attempt.objects.filter(Q(result=Attempt.Result.ANSWERED) | Q(status__isnull=False))
    ours = answers.filter(intent__organization=row.organization_id, intent__system=row.system)
    return ours.filter(pk__gt=latest - RECENT, closed_at__gte=moment).exists()


def _open(row: Circuit, *, cause: str, now: datetime) -> None:
    Circuit.objects.filter(pk=row.pk).update(
        opened_at=now, cause=cause[:64], tries=0, next_try_at=_next_try(row, tries=0, now=now), trial=None
    )
    facts = {"cause": cause, "silences": settings.CIRCUIT_SILENCES}
    _tell(row, Kind.CIRCUIT_OPENED, Actor.server(), now=now, facts=facts)


def _try_later(row: Circuit, *, cause: str, now: datetime) -> None:
    tries = row.tries + 1
    Circuit.objects.filter(pk=row.pk).update(
        cause=cause[:64], tries=tries, next_try_at=_next_try(row, tries=tries, now=now), trial=None, trial_until=None
    )


def _next_try(row: Circuit, *, tries: int, now: datetime) -> datetime:
    """After a pause that doubles; never later than half-way to the end of the first approval that waits."""
    pause: timedelta = min(settings.CIRCUIT_COOL_OFF * 2 ** min(tries, 10), LONGEST)
    waiting = Intent.objects.filter(organization=row.organization_id, system=row.system, state=State.READY)
    ends: datetime | None = waiting.filter(authorization__expires_at__gt=now).aggregate(
        at=Min("authorization__expires_at")
    )["at"]
    return now + (min(pause, (ends - now) / 2) if ends else pause)


def try_one(intent: Intent, *, now: datetime) -> bool:
    """Whether this intent is the one that tries now: exactly one is, until it was answered or its leave has ended."""
    free = Q(trial__isnull=True) | Q(trial_until__lte=now)
    row = Circuit.objects.filter(organization=intent.organization_id, system=intent.system, opened_at__isnull=False)
    until = now + TRIAL + glance(intent.pk).adapter.config.attempt_deadline
    return row.filter(free, next_try_at__lte=now).update(trial=intent.pk, trial_until=until) == 1


def give_back(intent_id: int) -> None:
    """The intent that was to try sent nothing and learned nothing about the system: another one tries."""
    Circuit.objects.filter(trial=intent_id, opened_at__isnull=False).update(trial=None, trial_until=None)


def close_after(intent: Intent) -> None:
    """A good answer to the intent that tried: everything that waits for this system goes on."""
    with transaction.atomic(durable=True):
        row = _locked(intent.organization_id, intent.system)
        if row.opened_at is not None and row.trial_id == intent.pk:
            _close(row, Actor.server(), now=database_now(), facts={"answered": intent.public_id})


def close(*, person: User, organization: int, system: str, reason: str) -> None:
    """An operator lets everything go on, and says why. The caller has checked the person's role.

    Raises:
        NotOpen, ValueError: no reason was given.
    """
    if not reason.strip():
        raise ValueError("Closing a circuit needs a reason.")
    with transaction.atomic(durable=True):
        row = Circuit.objects.select_for_update().filter(organization=organization, system=system).first()
        if row is None or row.opened_at is None:
            raise NotOpen(NotOpen.__doc__)
        _close(row, Actor.person(person), now=database_now(), facts={"reason": reason.strip()})


def _close(row: Circuit, actor: Actor, *, now: datetime, facts: dict[str, str]) -> None:
    Circuit.objects.filter(pk=row.pk).update(
        opened_at=None, closed_at=now, cause="", tries=0, next_try_at=None, trial=None, trial_until=None
    )
    _tell(row, Kind.CIRCUIT_CLOSED, actor, now=now, facts=facts)
    wake(waiting=WAITING, organization=row.organization_id, system=row.system, now=now)


def wake(*, waiting: str, organization: int, system: str | None, now: datetime) -> None:
    """What waited for this looks again at the next sweep; what somebody looks at this moment needs no waking."""
    which = Intent.objects.filter(organization=organization, state=State.READY, waiting=waiting)
    which = which if system is None else which.filter(system=system)
    free = list(which.select_for_update(skip_locked=True, of=("self",)).values_list("pk", flat=True))
    Intent.objects.filter(pk__in=free).update(next_look_at=now)


def _tell(row: Circuit, kind: Kind, actor: Actor, *, now: datetime, facts: dict[str, object] | dict[str, str]) -> None:
    record(
        kind=kind, actor=actor, organization=row.organization_id, now=now, subjects={"system": row.system}, facts=facts
    )


def to_try(row: Circuit, *, limit: int) -> list[int]:
    """The intents that may try an open circuit next: those that were not silent lately first."""
    waiting = Intent.objects.filter(
        organization=row.organization_id, system=row.system, state=State.READY, waiting=WAITING
    ).annotate(silent_at=Max("silences__at"))
    return list(waiting.order_by(F("silent_at").asc(nulls_first=True), "pk").values_list("pk", flat=True)[:limit])


def forget(*, now: datetime) -> None:
    """Silences that no count reaches any more are removed."""
    Silence.objects.filter(at__lte=now - 10 * settings.CIRCUIT_WINDOW).delete()
