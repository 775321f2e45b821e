"""Leaves a trace of work that goes on: liveness means progress, not a process."""

import time

from intents.models import Progress
from journal.clock import now as database_now

SECONDS = 1.0  # a busy worker does not write more often than this
_written: dict[str, float] = {}


def progressed(duty: str) -> None:
    """A worker of this duty (`handover`, `probes`) has just done something; written at most once a second."""
    moment = time.monotonic()
    if moment - _written.get(duty, -SECONDS) < SECONDS:
        return
    Progress.objects.update_or_create(duty=duty, defaults={"at": database_now()})
    _written[duty] = moment
