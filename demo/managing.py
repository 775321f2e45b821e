"""Management commands on the demo's data, whether or not the demo is running."""

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from demo.children import clear_leftovers
from demo.choices import ROOT, Choices
from demo.embedded import EmbeddedServers
from demo.home import InUse
from demo.telling import Refusal, say


def manage(arguments: Sequence[str], *, choices: Choices) -> int:
    """Run `manage.py` with the demo's environment and return its exit code."""
    with _servers(choices) as servers:
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(command, cwd=ROOT, env=choices.environment(servers), check=False).returncode


def reset(*, choices: Choices) -> None:
    """Remove everything the demo keeps; raise Refusal while it is running."""
    home = EmbeddedServers(choices.directory).home
    if not home.path.exists():
        return
    home.take()
    if "DATABASE_URL" in home.given_before:
        say("The database that DATABASE_URL named is not the demo's to clear: it stays as it is.")
    home.erase()
    home.leave()


@contextmanager
def _servers(choices: Choices) -> Iterator[EmbeddedServers]:
    """Give the servers of the running demo, or start them for as long as they are needed."""
    servers = EmbeddedServers(choices.directory)
    if not servers.home.made:
        raise Refusal(f"There is no demo in {choices.directory} yet: run `make demo` first.")
    servers.require_those_given_before()
    servers.require_given()
    if not _started(servers):
        yield servers
        return
    try:
        clear_leftovers(servers.home.processes, say=say)
        yield servers
    finally:
        servers.stop()


def _started(servers: EmbeddedServers, *, seconds: float = 60.0) -> bool:
    """Start the servers; False when a running demo has them up. Another command that uses them is waited for."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            servers.start()
        except InUse:
            if servers.home.processes.exists():
                return False
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)
        else:
            return True
