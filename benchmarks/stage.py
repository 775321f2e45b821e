"""The stage of a measurement: durable servers, a quick target, the house seeded, and workers of both sides."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from demo.embedded import EmbeddedServers
from demo.telling import quiet

if TYPE_CHECKING:
    from intents.models import Intent

ROOT = Path(__file__).resolve().parent.parent


class Stage:
    """Everything that runs while something is measured. Made by `stage`."""

    def __init__(self, servers: EmbeddedServers, target: str, env: dict[str, str], folder: Path) -> None:
        self.servers, self.target, self.env, self.folder = servers, target, env, folder
        self.pattern: Intent | None = None
        self._next = 1_000_000
        self._workers = ExitStack()

    def orders(self, count: int) -> list[int]:
        """So many approved intents nobody has handed over, each on a file of its own."""
        from benchmarks.orders import multiply

        assert self.pattern is not None
        first, self._next = self._next, self._next + count
        return multiply(self.pattern, count, first=first)

    def workers(self, app: str, queue: str, processes: int, **env: str) -> subprocess.Popen[bytes]:
        """A Celery worker with so many processes, ready; it ends with the stage."""
        log = self.folder / f"{app}-{queue}-{time.monotonic_ns()}.log"
        command = f"-m celery -A {app} worker -Q {queue} -c {processes} -n {queue}-{time.monotonic_ns()}@%h -l WARNING"
        process = _start([*command.split(), "--without-gossip", "--without-mingle"], {**self.env, **env}, log)
        self._workers.callback(_end, process)
        return process

    def counted(self) -> dict[str, Any]:
        """What the target has seen."""
        with urllib.request.urlopen(f"{self.target}/_count", timeout=30) as answer:  # noqa: S310  our own child
            return dict(json.load(answer))

    def reset(self) -> None:
        """The target has seen nothing."""
        asked = urllib.request.Request(f"{self.target}/_reset", method="POST", data=b"")  # noqa: S310  our own child
        urllib.request.urlopen(asked, timeout=30).close()  # noqa: S310

    def close(self) -> None:
        """Every worker has ended."""
        self._workers.close()


@contextmanager
def stage(*, delay_ms: float) -> Iterator[Stage]:
    """Servers, a target that answers after `delay_ms`, the house migrated and seeded; all of it gone at the end."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="countersign-bench-")))
        folder.chmod(0o755)
        (folder / "home").mkdir(mode=0o755)
        servers = EmbeddedServers(folder / "home", durable=True, environ={}, say=quiet)
        stack.callback(servers.discard)
        servers.start()
        port = _free_port()
        target = _start(["-m", "benchmarks.target", str(port), str(delay_ms)], dict(os.environ), folder / "target.log")
        stack.callback(_end, target)
        env = _environment(servers, f"http://127.0.0.1:{port}")
        os.environ.update(env)
        made = Stage(servers, env["SANDBOX_URL"], {**os.environ, **env}, folder)
        stack.callback(made.close)
        _wait(lambda: made.counted() is not None)
        made.pattern = _seeded()
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
        "LOG_LEVEL": "WARNING",
        "CIRCUIT_SILENCES": "1000000",
    }


def _seeded() -> "Intent":
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    from tests.sandboxing import Sandbox
    from tests.world import make_world

    world = make_world(Sandbox(url=os.environ["SANDBOX_URL"], data=Path()))
    arguments = {"dossier_ref": "D-1", "expected_version": 1, "reason_code": "ECART_MONTANT"}
    return world.approved(arguments=arguments, session="bench")


def _start(arguments: list[str], env: dict[str, str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("wb") as file:
        return subprocess.Popen(  # noqa: S603  our own modules
            [sys.executable, *arguments], cwd=ROOT, env=env, stdout=file, stderr=file, start_new_session=True
        )


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)  # its own group, started above
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(holds: Callable[[], bool], *, seconds: float = 30) -> None:
    ends = time.monotonic() + seconds
    while True:
        try:
            if holds():
                return
        except OSError:
            pass
        if time.monotonic() > ends:
            raise TimeoutError("the stage is not ready")
        time.sleep(0.05)
