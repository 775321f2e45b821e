"""Tells workers of what is due: ids only, published directly; a broker that is down ends it until the next sweep."""

import logging
from datetime import timedelta

import redis
from celery import current_app
from django.conf import settings
from django.db.models import Q
from kombu.exceptions import OperationalError as BrokerDown

from intents import cancelling, circuit
from intents.models import Circuit, Fact, Intent, Notice, Pause
from intents.states import State
from journal.clock import now as database_now
from tenancy.models import Organization

log = logging.getLogger(__name__)

# A queue of the broker is filled up to so many messages: while no worker takes any, it does not grow.
QUEUED_AT_MOST = 1000
TRIED_AT_ONCE = 3  # of those that wait for an open circuit; one of them gets leave to try
# How long a nudged row is left to the worker that was told of it.
LEASE = timedelta(seconds=5)


def wake_ready() -> int:
    """Orders that are due are looked at, as far as nothing holds them back; returns how many were told of."""
    ready = Intent.objects.filter(state=State.READY, next_look_at__lte=database_now())
    ready = ready.exclude(_held_back() | _rehearsed())
    due = list(ready.order_by("next_look_at").values_list("pk", flat=True)[:QUEUED_AT_MOST])
    return _publish("intents.tasks.hand_over", [*_next_tries(), *due], queue="handover", due="next_look_at")


def _rehearsed() -> Q:
    """What a rehearsal does itself, through its own wire."""
    return Q(organization__in=Organization.objects.filter(rehearsal=True))


def _held_back() -> Q:
    """What nobody looks at before its pause is lifted or its circuit closed."""
    which = Q(waiting="paused", organization__in=Pause.objects.filter(lifted_at__isnull=True).values("organization"))
    for row in Circuit.objects.filter(opened_at__isnull=False):
        which |= Q(waiting=circuit.WAITING, organization=row.organization_id, system=row.system)
    return which


def _next_tries() -> list[int]:
    due = Circuit.objects.filter(opened_at__isnull=False, next_try_at__lte=database_now())
    return [pk for row in due.order_by("next_try_at") for pk in circuit.to_try(row, limit=TRIED_AT_ONCE)]


def wake_probes() -> int:
    """Orders in doubt whose look is due are looked up."""
    due = Intent.objects.filter(state__in=[State.ACCEPTED, State.UNKNOWN], next_probe_at__lte=database_now())
    due = due.exclude(_rehearsed()).order_by("next_probe_at")
    ids = list(due.values_list("pk", flat=True)[:QUEUED_AT_MOST])
    return _publish("intents.tasks.probe", ids, queue="probes", due="next_probe_at")


def wake_notices() -> int:
    """One worker writes and tells what webhooks wait for; two at once do no harm. The message carries nothing."""
    waiting = Notice.objects.filter(state=Notice.State.WAITING, next_try_at__lte=database_now())
    return len(_told("intents.tasks.notify", [0], "probes")) if Fact.objects.exists() or waiting.exists() else 0


def wake_cancellations() -> int:
    """They have no time of their own: whoever finds nothing to do leaves quietly, and the queue never overflows."""
    played = Organization.objects.filter(rehearsal=True)
    due = cancelling.waiting().exclude(intent__organization__in=played)
    ids = list(due.values_list("intent", flat=True)[:QUEUED_AT_MOST])
    return len(_told("intents.tasks.cancel", ids, "handover"))


def _publish(task: str, ids: list[int], *, queue: str, due: str) -> int:
    told = _told(task, ids, queue)
    # What was told of is left alone for a moment; what a worker has moved on meanwhile keeps its own time.
    now = database_now()
    Intent.objects.filter(pk__in=told, **{f"{due}__lte": now}).update(**{due: now + LEASE})
    return len(told)


def _told(task: str, ids: list[int], queue: str) -> list[int]:
    """The ids that were published, as many as the queue has room for and the broker took."""
    told = []
    for pk in ids[: _room_in(queue) if ids else 0]:
        try:
            current_app.send_task(task, args=(pk,), ignore_result=True)
        except (BrokerDown, OSError) as error:
            log.warning("the broker cannot be reached (%s): the next sweep tries again", type(error).__name__)
            break
        told.append(pk)
    return told


def _room_in(queue: str) -> int:
    """How many more messages the queue takes: one that nobody empties does not grow, one that was lost is filled."""
    client = redis.Redis.from_url(settings.REDIS_URL, socket_timeout=0.5, socket_connect_timeout=0.5)
    try:
        return max(0, QUEUED_AT_MOST - int(client.llen(queue)))
    except (redis.RedisError, OSError):
        return QUEUED_AT_MOST  # publishing will tell what is wrong with the broker
    finally:
        client.close()
