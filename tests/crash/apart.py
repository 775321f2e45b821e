"""A forked child beside the test: it says when it is ready, and begins when it is told to."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import DatabaseError, InterfaceError, connection, connections

BROKEN = 7  # the exit status of a child in which a promise was broken
LOST = 3  # of one whose database failed it
BOUND = 30.0  # seconds a child may take; longer is a failure of the test


class Broken(AssertionError):
    """What was promised did not hold."""


@contextmanager
def beside(call: Callable[[], object], *, after: float = 0.0, failpoint: str = "", ends: int = 0) -> Iterator[int]:
    """A child makes the call `after` seconds from the moment this block is entered; the block is given its pid.

    It is connected to its database by then. When the block ends the child has ended, and with `ends`, as `alone`.
    """
    pid, begin = _waiting(call, after=after, failpoint=failpoint)
    try:
        os.write(begin, b".")
        yield pid
    finally:
        os.close(begin)
        code = ended(pid)
    assert code == ends, f"the child ended with {code}"


def alone(call: Callable[[], object], *, failpoint: str = "") -> int:
    """A child made the call to its end: 0, BROKEN where it raised Broken, LOST, or minus the signal that ended it.

    Whatever it changed of the code, it alone had so. Any other error is told and exits with 5.
    """
    return ended(forked(call, failpoint=failpoint))


def forked(call: Callable[[], object], *, failpoint: str = "") -> int:
    """The pid of a child that makes the call at once; how it went, `ended` tells."""
    connections.close_all()  # a child must not speak on, nor close, a connection of its parent
    pid = os.fork()
    if not pid:
        _live(call, failpoint=failpoint)
    return pid


def ended(pid: int) -> int:
    """How the child ended; one that does not end is killed, which is told as -9."""
    ends = time.monotonic() + BOUND
    while time.monotonic() < ends:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(pid, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _waiting(call: Callable[[], object], *, after: float = 0.0, failpoint: str = "") -> tuple[int, int]:
    ready, told_ready = os.pipe()
    told_begin, begin = os.pipe()

    def told_to() -> None:
        os.close(begin)
        connection.ensure_connection()
        os.write(told_ready, b".")
        os.read(told_begin, 1)
        time.sleep(after)
        call()

    pid = forked(told_to, failpoint=failpoint)
    os.close(told_ready)
    os.close(told_begin)
    os.read(ready, 1)
    os.close(ready)
    connection.ensure_connection()  # whoever races the child has a connection as well
    return pid, begin


def _live(call: Callable[[], object], *, failpoint: str) -> None:
    os.environ["COUNTERSIGN_FAILPOINT"] = failpoint
    code = 5
    try:
        call()
        code = 0
    except Broken:
        code = BROKEN
    except (DatabaseError, InterfaceError):
        code = LOST
    except BaseException as error:
        os.write(2, f"the child: {error!r}\n".encode())
        raise
    finally:
        os._exit(code)
