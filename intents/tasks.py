"""What the broker carries: ids, nothing else. Losing a message loses nothing; a repeated one finds nothing to do."""

import os
import socket

from celery import shared_task

from intents import cancelling, dispatching, notifying, opening, sweeping, verifying
from intents.models import Intent
from intents.progressing import progressed
from journal.recording import Actor


def _worker() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


@shared_task(name="intents.tasks.open_intent")
def open_intent(authorization_id: int) -> None:
    """The authorization's intent is opened, and looked at right away."""
    intent = opening.open_intent(authorization_id)
    if intent is not None:
        dispatching.hand_over(intent.pk, worker=_worker())
    progressed("handover")


@shared_task(name="intents.tasks.hand_over")
def hand_over(intent_id: int) -> None:
    """The intent is looked at once, and handed over if every check holds."""
    dispatching.hand_over(intent_id, worker=_worker())
    progressed("handover")


@shared_task(name="intents.tasks.probe")
def probe(intent_id: int) -> None:
    """The effect is looked up once, unless the schedule is spent: a message may come late, or twice."""
    if Intent.objects.filter(pk=intent_id, next_probe_at__isnull=False).exists():
        verifying.probe(intent_id, actor=Actor.worker(_worker()))
    progressed("probes")


@shared_task(name="intents.tasks.cancel")
def cancel(intent_id: int) -> None:
    """The cancellation that was asked for is sent, unless it was already, or nothing can be named yet."""
    cancelling.cancel(intent_id, worker=_worker())
    progressed("handover")


@shared_task(name="intents.tasks.notify")
def notify(_nothing: int = 0) -> None:
    """Webhooks are told of what was written down since, and once more of what they did not hear."""
    while notifying.write_notices():
        pass
    notifying.deliver()
    progressed("probes")


@shared_task(name="intents.tasks.sweep")
def sweep() -> None:
    """Everything overdue is moved on."""
    sweeping.sweep()


@shared_task(name="intents.tasks.pulse")
def pulse(duty: str) -> None:
    """A worker of this duty takes work, even when there is none: sent by the clock to the queue it listens to."""
    progressed(duty)
