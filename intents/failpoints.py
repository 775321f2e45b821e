"""Named places where a test may end, break or delay a process. They do nothing unless the tests' settings allow it.

`COUNTERSIGN_FAILPOINT=<name>:<action>` selects one: `kill` (SIGKILL to oneself), `stop` (SIGSTOP), `raise`
(a lost database connection), `sleep=<seconds>`, `wait=<path>` (make `<path>.here`, go on when there is `<path>.go`).
A `once=<path>` after a second colon makes it act one time only, over all processes: the first that creates that file.
"""

import os
import signal
import time
from enum import StrEnum
from pathlib import Path

from django.conf import settings
from django.db import OperationalError

WAITS_AT_MOST = 20.0  # seconds


class Step(StrEnum):
    """Every step at which a process can end: of a hand-over, of what goes before and after it, of a cancellation."""

    TAKEN_UP = "taken_up"
    OBSERVED = "observed"
    LOCKED = "locked"
    DECIDED = "decided"
    BEFORE_MARK_COMMIT = "before_mark_commit"
    MARK_COMMITTED = "mark_committed"  # its acknowledgement can be lost here
    MARKED = "marked"
    HANDED_OVER = "handed_over"
    OUTCOME_LOCKED = "outcome_locked"
    BEFORE_OUTCOME_COMMIT = "before_outcome_commit"
    OUTCOME_WRITTEN = "outcome_written"
    BEFORE_OPENING_COMMIT = "before_opening_commit"
    OPENED = "opened"
    LOOKED_UP = "looked_up"
    BEFORE_PROBE_COMMIT = "before_probe_commit"
    BEFORE_CALLBACK_COMMIT = "before_callback_commit"
    CANCELLATION_MARKED = "cancellation_marked"
    CANCELLATION_ANSWERED = "cancellation_answered"


def failpoint(step: Step) -> None:
    """Do what the environment asks at this step, and only under settings that allow it."""
    if not settings.FAILPOINTS:
        return
    name, _, rest = os.environ.get("COUNTERSIGN_FAILPOINT", "").partition(":")
    if name != step:
        return
    action, _, once = rest.partition(":once=")
    if once and not _first(once):
        return
    _act(action)


def _wait(place: Path) -> None:
    place.with_suffix(".here").touch()
    ends = time.monotonic() + WAITS_AT_MOST
    while not place.with_suffix(".go").exists() and time.monotonic() < ends:
        time.sleep(0.005)


def _first(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        return False
    return True


def _act(action: str) -> None:
    word, _, value = action.partition("=")
    if word == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif word == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif word == "sleep":
        time.sleep(float(value))
    elif word == "wait":
        _wait(Path(value))
    elif word == "raise":
        raise OperationalError("the connection was lost (failpoint)")
