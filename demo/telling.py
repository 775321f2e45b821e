"""What the person in front of the terminal reads: one line for each step, one sentence for each refusal."""

import io
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

Say = Callable[[str], None]


class Refusal(Exception):
    """What was asked cannot be done; the message is the whole explanation."""


def say(sentence: str) -> None:
    """Print one line at once; a terminal that was closed must not keep us from stopping what we started."""
    with suppress(OSError):
        print(sentence, flush=True)


def quiet(_sentence: str) -> None:
    """Say nothing, for tests."""


def speak_to_any_terminal() -> None:
    """A terminal that knows none of our dots and dashes shows a question mark for them, and nothing ends."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


@contextmanager
def step(sentence: str, *, say: Say = say) -> Iterator[None]:
    """Announce a step before it begins, and say how long it took once it is done."""
    say(f"· {sentence} …")
    begun = time.monotonic()
    yield
    say(f"  done in {time.monotonic() - begun:.1f} s")
