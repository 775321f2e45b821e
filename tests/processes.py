"""Real processes for the tests: the sandbox, web servers, workers, beats. Each is ended by the test that started it."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from demo.children import dying_with
from tests.warming import Forked, Warm

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 60.0


def free_port() -> int:
    """A loopback port nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def until(condition: Callable[[], object], *, seconds: float = PATIENCE, what: str = "") -> object:
    """Wait until `condition()` is true and return its value; fail with `what` when it never is."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what or condition}")
        time.sleep(0.02)


class Process:
    """A child in its own session, with its output in a file."""

    def __init__(
        self, *command: str, log: Path, env: Mapping[str, str], python: str = sys.executable, warm: Warm | None = None
    ) -> None:
        self.log = log
        self.child: subprocess.Popen[bytes] | Forked
        if warm is not None and warm.fits(env):
            log.touch()
            self.child = warm.start(list(command), log=log, env=env)
            return
        with log.open("ab") as output:
            self.child = subprocess.Popen(
                [python, "-m", *command],
                cwd=ROOT,
                env={**os.environ, **env},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=dying_with(os.getpid(), signal.SIGTERM),  # a killed test run leaves nothing
            )

    @property
    def pid(self) -> int:
        """The process id, which is also that of its group."""
        return self.child.pid

    @property
    def output(self) -> str:
        """What it has printed so far."""
        return self.log.read_text(errors="replace")

    def says(self, words: str, *, seconds: float = PATIENCE) -> None:
        """Wait until the words are in its output."""

        def said() -> bool:
            assert self.child.poll() is None or words in self.output, f"it ended:\n{self.output[-4000:]}"
            return words in self.output

        until(said, seconds=seconds, what=f"{words!r} in\n{self.output[-2000:]}")

    def kill(self, sign: int = signal.SIGKILL) -> None:
        """Send a signal to it and to all its children."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, sign)

    def stop(self) -> None:
        """End it politely, then not."""
        self.kill(signal.SIGCONT)
        self.kill(signal.SIGTERM)
        try:
            self.child.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()
            self.child.wait(10)


def answers(url: str) -> bool:
    """Whether something answers HTTP at the address, whatever it says."""
    try:
        with urllib.request.urlopen(url, timeout=2):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


@contextlib.contextmanager
def running(process: Process) -> Iterator[Process]:
    """End the process when the block ends, however it ends."""
    try:
        yield process
    finally:
        process.stop()
