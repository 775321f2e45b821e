"""Waits for a status to change, within bounds: never long, never many at once, never holding the database."""

import threading
import time
from collections.abc import Callable

# Each waiter holds a thread of the server; beyond this many, a caller is answered at once and polls by itself.
MAX_WAITERS = 6
_FIRST, _LATER = 0.25, 1.0  # seconds between looks; between them no transaction is open
_places = threading.BoundedSemaphore(MAX_WAITERS)


def wait_while(unchanged: Callable[[], bool], *, seconds: float) -> None:
    """Return as soon as `unchanged()` is false, at the latest after `seconds`; at once when too many wait already."""
    if seconds <= 0 or not _places.acquire(blocking=False):
        return
    try:
        end, pause = time.monotonic() + seconds, _FIRST
        while unchanged() and (left := end - time.monotonic()) > 0:
            time.sleep(min(pause, left))
            pause = min(pause * 1.25, _LATER)
    finally:
        _places.release()
