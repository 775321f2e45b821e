"""After a fault: time passes, sweeps run, and what they publish is taken, until nothing is left to do."""

import base64
import json
from datetime import timedelta

import redis
from django.conf import settings
from django.db.models import F

from intents import cancelling, sweeping, tasks
from intents.models import Cancellation, Intent
from journal.clock import now as database_now

QUEUES = ("handover", "probes", "sweeps")
ROUNDS = 12


def recover() -> None:
    """Whatever the fault left behind was taken up by sweeps and workers; nothing more comes of doing it again."""
    for _ in range(ROUNDS):
        _time_passes()
        sweeping.sweep()
        taken = take_messages()
        if not taken and _still():
            return


def take_messages() -> int:
    """Every message in the broker was taken, each by the task it names; returns how many."""
    client = redis.Redis.from_url(settings.REDIS_URL)
    taken = 0
    try:
        while message := next(filter(None, (client.rpop(queue) for queue in QUEUES)), None):
            _run(json.loads(message))
            taken += 1
    finally:
        client.close()
    return taken


def _run(message: dict) -> None:
    task = getattr(tasks, message["headers"]["task"].rpartition(".")[2])
    given, named, _ = json.loads(base64.b64decode(message["body"]))
    task(*given, **named)


def _time_passes() -> None:
    """Deadlines, looks and probes that were to come are due; approvals do not lapse of it."""
    past = database_now() - timedelta(seconds=1)
    Intent.objects.filter(state="sending").update(deadline=past)
    Intent.objects.filter(state="ready").update(next_look_at=past)
    Intent.objects.filter(next_probe_at__isnull=False).update(next_probe_at=past)
    for pk in Cancellation.objects.filter(result="open").values_list("pk", flat=True):
        cancelling.give_up(pk)  # the database lets nobody change its deadline: what the sweep does then is done now


def _still() -> bool:
    moving = Intent.objects.filter(state__in=["ready", "sending", "accepted"]) | Intent.objects.filter(
        state="unknown", next_probe_at__lte=F("changed_at") + timedelta(days=365)
    )
    return not moving.exists()
