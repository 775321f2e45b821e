"""Fixtures: a clean database with real commits, the sandbox, a world, and real processes beside the test."""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import connection, connections
from django.test.utils import setup_databases, teardown_databases
from django.utils import translation

from tests import keeping
from tests.processes import ROOT, Process, answers, free_port, running, until
from tests.sandboxing import Sandbox
from tests.warming import Warm

if TYPE_CHECKING:
    from tests.world import World

# Overlay of durations for the tests: what takes minutes in the demo takes seconds here.
OVERLAY = [
    (re.compile(r"attempt_deadline: PT\d+S"), "attempt_deadline: PT2S"),
    (re.compile(r"(visibility_delay:[^\n]*?)PT2M"), r"\1PT1S"),
]


@pytest.fixture(autouse=True)
def no_language_of_before() -> Iterator[None]:
    """A request answered within this process leaves its reader's language behind; the next test begins without one."""
    yield
    translation.deactivate()


@pytest.fixture(scope="session")
def systems_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sandbox's configuration files with the tests' overlay of durations."""
    folder = tmp_path_factory.mktemp("systems")
    for file in sorted((ROOT / "sandbox" / "systems").glob("*.yaml")):
        text = file.read_text()
        for pattern, replacement in OVERLAY:
            text = pattern.sub(replacement, text)
        (folder / file.name).write_text(text)
    return folder


@pytest.fixture(scope="session")
def sandbox_process(tmp_path_factory: pytest.TempPathFactory, systems_dir: Path) -> Iterator[Sandbox]:
    """The pretend business system, a process of its own for the whole run."""
    folder = tmp_path_factory.mktemp("sandbox")
    port = free_port()
    process = Process(
        "sandbox", "--port", str(port), "--data", str(folder), "--host", "127.0.0.1", log=folder / "log", env={}
    )
    with running(process):
        url = f"http://127.0.0.1:{port}"
        until(lambda: answers(f"{url}/healthz"), what=f"the sandbox at {url}: {process.output}")
        os.environ["SANDBOX_URL"] = url
        os.environ["SYSTEMS_DIR"] = settings.SYSTEMS_DIR = str(systems_dir)
        from systems.adapters import registry

        registry.reload()
        yield Sandbox(url=url, data=folder)


@pytest.fixture
def sandbox(sandbox_process: Sandbox) -> Sandbox:
    """The business system as new: no faults, no effects, the seeded objects."""
    sandbox_process.reset()
    return sandbox_process


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_blocker: Any, django_db_modify_db_settings: None
) -> Iterator[None]:
    """Make this run's database. Ours, because the plugin's own looks for marks that no test of ours carries."""
    with django_db_blocker.unblock():
        made = setup_databases(verbosity=0, interactive=False, aliases={"default"})
    yield
    with django_db_blocker.unblock():
        with connection.cursor() as cursor:  # a server that just stopped may still hold a session for a moment
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        teardown_databases(made, verbosity=0)


def flush_broker() -> None:
    """Empty this run's broker."""
    import redis

    client = redis.Redis.from_url(settings.REDIS_URL)
    client.flushdb()
    client.close()


@pytest.fixture
def database(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """A clean database with real commits, seen by other processes, and an empty broker."""
    with django_db_blocker.unblock():
        keeping.wipe()
        flush_broker()
        cache.clear()
        yield
        connections.close_all()


@pytest.fixture
def world(database: None, sandbox: Sandbox) -> "Iterator[World]":
    """The demo's cast, contracts and tokens in a clean database; the invariants are checked when the test ends."""
    from tests.world import world_as_new

    world = world_as_new(sandbox)
    yield world
    world.check_invariants()


@pytest.fixture(scope="session")
def run_env(django_db_setup: None, sandbox_process: Sandbox) -> dict[str, str]:
    """The environment in which another process sees this run's database, broker and business system."""
    database_url = re.sub(r"/[^/?]*(\?|$)", rf"/{connection.settings_dict['NAME']}\1", os.environ["DATABASE_URL"])
    return {
        "DATABASE_URL": database_url,
        "REDIS_URL": settings.REDIS_URL,
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "SANDBOX_URL": sandbox_process.url,
        "SYSTEMS_DIR": settings.SYSTEMS_DIR,
        "SECRET_KEY": settings.SECRET_KEY,
    }


@pytest.fixture
def child_env(database: None, sandbox: Sandbox, run_env: dict[str, str]) -> dict[str, str]:
    """The same, for the processes of one test, which may change it."""
    return dict(run_env)


@pytest.fixture(scope="session")
def shared_web(run_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One web server for every test that asks nothing special of it: all its state is in the database."""
    with running(_web(run_env, tmp_path_factory.mktemp("web"), workers=1)) as process:
        yield process.url


def _web(env: dict[str, str], folder: Path, *, workers: int) -> Process:
    port = free_port()
    url = f"http://localhost:{port}"
    process = Process(
        *f"gunicorn config.wsgi:application --config python:config.serving --bind 127.0.0.1:{port}".split(),
        *f"--workers {workers} --threads 8 --worker-class gthread --timeout 60 --graceful-timeout 2".split(),
        log=folder / f"web-{port}.log",
        env={**env, "BASE_URL": url},
    )
    process.url = url
    until(lambda: answers(f"{url}/healthz/live"), what=f"the web server: {process.output[-3000:]}")
    return process


@pytest.fixture(scope="session")
def warm(run_env: dict[str, str]) -> Iterator[Warm]:
    """What workers and beats of this run's own environment are forked from."""
    warm = Warm(run_env)
    yield warm
    warm.end()


@pytest.fixture
def start_worker(child_env: dict[str, str], tmp_path: Path, warm: Warm) -> Iterator[Callable[..., Process]]:
    """Start real Celery workers: `start_worker(queues="handover", concurrency=1, failpoint=None)`."""
    started: list[Process] = []

    def start(*, queues: str = "handover,probes,sweeps", concurrency: int = 1, failpoint: str | None = None) -> Process:
        number = len(started)
        env = {**child_env, **({"COUNTERSIGN_FAILPOINT": failpoint} if failpoint else {})}
        process = Process(
            *f"celery -A config worker -Q {queues} -c {concurrency} -n w{number}-{os.getpid()}@%h -l INFO".split(),
            "--without-gossip",
            "--without-mingle",
            log=tmp_path / f"worker-{number}.log",
            env=env,
            warm=warm,
        )
        started.append(process)
        process.says(" ready.")
        return process

    yield start
    for process in started:
        process.stop()


@pytest.fixture
def start_beat(child_env: dict[str, str], tmp_path: Path, warm: Warm) -> Iterator[Callable[[], Process]]:
    """Start real beats (a sweep every second)."""
    started: list[Process] = []

    def start() -> Process:
        number = len(started)
        process = Process(
            *f"celery -A config beat -s {tmp_path}/schedule-{number} -l INFO".split(),
            log=tmp_path / f"beat-{number}.log",
            env=child_env,
            warm=warm,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.stop()


@pytest.fixture
def start_web(
    child_env: dict[str, str], tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Callable[..., str]]:
    """The address of a real web server: the shared one, or one of its own for `workers=2` or another environment."""
    started: list[Process] = []

    def start(*, workers: int = 1, env: dict[str, str] | None = None) -> str:
        ordinary: dict[str, str] = request.getfixturevalue("run_env")
        if workers == 1 and not env and child_env == ordinary:
            shared: str = request.getfixturevalue("shared_web")
            return shared
        started.append(_web({**child_env, **(env or {})}, tmp_path, workers=workers))
        return started[-1].url

    yield start
    for process in started:
        process.stop()
