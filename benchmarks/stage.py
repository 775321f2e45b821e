"""The stage of a measurement: durable servers, a quick target, the house seeded, and workers of both sides."""

import json
import os
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from demo.embedded import EmbeddedServers
from demo.telling import quiet
from tests.processes import ROOT, Process, answers, free_port, until

if TYPE_CHECKING:
    from intents.models import Intent
    from tests.world import World

sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # a measurement is watched while it runs


class Stage:
    """Everything that runs while something is measured. Made by `stage`."""

    def __init__(self, servers: EmbeddedServers | None, target: str, env: dict[str, str], folder: Path) -> None:
        self._servers, self.target, self.env, self.folder = servers, target, env, folder
        self.world: World
        self.pattern: Intent
        self._next, self._started = 1_000_000, 0
        self.processes: list[Process] = []

    @property
    def servers(self) -> EmbeddedServers:
        """Database and broker, where they are ours to break."""
        assert self._servers is not None
        return self._servers

    def orders(self, count: int, *, look_in: float = 3600.0) -> list[int]:
        """So many approved intents nobody has handed over, each on a file of its own; a sweep looks in `look_in` s."""
        from benchmarks.orders import multiply

        return multiply(self.pattern, count, first=self._numbers(count), look_in=look_in)

    def unsigned(self, count: int) -> list[Any]:
        """So many proposals that await a signature, each on a file of its own."""
        from benchmarks.orders import multiply_unsigned

        return multiply_unsigned(self.pattern, count, first=self._numbers(count))

    def _numbers(self, count: int) -> int:
        first, self._next = self._next, self._next + count
        return first

    def worker(self, app: str, queues: str, processes: int, *, wait: bool = True, **env: str) -> Process:
        """A Celery worker with so many processes, ready where we `wait`; it ends with the stage."""
        started = self.start(
            *f"celery -A {app} worker -Q {queues} -c {processes} -l WARNING -I benchmarks.ready".split(),
            *f"--without-gossip --without-mingle -n {app}-{self._started}@%h".split(),
            **env,
        )
        if wait:
            started.says("ready.")
        return started

    def beat(self) -> Process:
        """The clock that calls the sweeps."""
        return self.start(*f"celery -A config beat -s {self.folder}/schedule -l WARNING".split())

    def start_target(self, delay_ms: float) -> None:
        """The target answers: the first of our processes, and the last to end."""
        self.start("benchmarks.target", self.target.rpartition(":")[2], str(delay_ms))
        until(lambda: answers(f"{self.target}/_count"), what="the target answers")

    def start(self, *command: str, python: str = sys.executable, **env: str) -> Process:
        """A Python module as a process of its own; it ends with the stage."""
        self._started += 1
        log = self.folder / f"process-{self._started}.log"
        process = Process(*command, log=log, env={**self.env, **env}, python=python)
        self.processes.append(process)
        return process

    def counted(self) -> dict[str, Any]:
        """What the target has seen: orders, different references, seconds between the first and the last."""
        return self._asked("/_count")

    def arrivals(self) -> list[tuple[float, str]]:
        """Every order the target received: its monotonic instant, and its reference."""
        return [(at, str(reference)) for at, reference in self._asked("/_arrivals")["arrivals"]]

    def reset(self) -> None:
        """The target has seen nothing."""
        self._asked("/_reset")

    def _asked(self, path: str) -> dict[str, Any]:
        with urllib.request.urlopen(self.target + path, timeout=30) as answer:  # noqa: S310  our own child
            return dict(json.load(answer))

    def close(self) -> None:
        """Every process has ended, workers before the target they speak to."""
        self.dismiss(0)

    def dismiss(self, keep: int = 1) -> None:
        """Every process but the first `keep` has ended: the target was the first."""
        for process in reversed(self.processes[keep:]):
            process.kill()  # nothing of theirs is needed any more
            process.child.wait()
        del self.processes[keep:]


@contextmanager
def stage(*, delay_ms: float, sweep_seconds: float = 5.0) -> Iterator[Stage]:
    """Servers, a target that answers after `delay_ms`, the house migrated and seeded; all of it gone at the end."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="countersign-bench-")))
        folder.chmod(0o755)
        (folder / "home").mkdir(mode=0o755)
        servers = EmbeddedServers(folder / "home", durable=True, environ={}, say=quiet)
        stack.callback(servers.discard)
        servers.start()
        made = Stage(servers, f"http://127.0.0.1:{free_port()}", {}, folder)
        stack.callback(made.close)
        made.env = {**_environment(servers, made.target), "SWEEP_SECONDS": str(sweep_seconds)}
        os.environ.update(made.env)
        made.start_target(delay_ms)
        _migrate()
        seed(made)
        yield made


def _environment(servers: EmbeddedServers, target: str) -> dict[str, str]:
    return {
        "DATABASE_URL": servers.database_url,
        "REDIS_URL": servers.redis_url,
        "SANDBOX_URL": target,
        "SYSTEMS_DIR": str(ROOT / "sandbox" / "systems"),
        "SECRET_KEY": "bench-only-key-with-enough-characters-to-be-quiet-about-it-0123456789",
        "ALLOWED_HOSTS": "127.0.0.1,localhost",
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "LOG_LEVEL": "ERROR",
        "CIRCUIT_SILENCES": "1000000",
    }


def _migrate() -> None:
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def seed(made: Stage) -> None:
    """The cast and the contracts of the tests' world exist, and one order was proposed, signed and confirmed."""
    from tests.sandboxing import Sandbox
    from tests.world import make_world

    made.world = make_world(Sandbox(url=made.target, data=made.folder))
    arguments = {"dossier_ref": "D-1", "expected_version": 1, "reason_code": "ECART_MONTANT"}
    made.pattern = made.world.approved(arguments=arguments, session="bench")
    made.world.hand_over(copy(made.pattern))  # the row itself is out of the way; the pattern stays as it was
    made.reset()
