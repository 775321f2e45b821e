"""Servers for the whole run, started before pytest-django reads the settings, gone without a trace at the end.

Named in `addopts` (`-p tests.embedded_plugin`) and not in a conftest, because the settings are read before any
conftest. Workers of pytest-xdist inherit the addresses; each takes a Redis database of its own number.
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest

from demo.embedded import EmbeddedServers
from demo.home import Home
from demo.telling import Refusal, quiet
from tests.chromium import find_chromium

_PREFIX = f"countersign-tests-{os.geteuid()}-"
_servers: list[EmbeddedServers] = []


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Start what DATABASE_URL and REDIS_URL do not name, and name it there."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None and not {"DATABASE_URL", "REDIS_URL"} <= os.environ.keys():
        _clear_abandoned_homes()
        servers = EmbeddedServers(new_home(), durable=False, say=quiet)
        servers.start()
        _servers.append(servers)
        os.environ.update(DATABASE_URL=servers.database_url, REDIS_URL=servers.redis_url)
    elif worker is not None:
        os.environ["REDIS_URL"] = _database_of(worker, os.environ["REDIS_URL"])


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker of tests that need a browser."""
    config.addinivalue_line("markers", "browser: needs Chromium; skipped by name where there is none, except in CI")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a browser test, by name, where no Chromium is found; in CI a browser that is missing is a failure."""
    if item.get_closest_marker("browser") is None or find_chromium():
        return
    if os.environ.get("CI"):
        pytest.fail("no Chromium on this machine, and CI is set: browser tests must run", pytrace=False)
    pytest.skip(f"no Chromium on this machine (set CHROMIUM to its path): {item.nodeid}")


def pytest_unconfigure() -> None:
    """Stop and remove what was started."""
    while _servers:
        _servers.pop().discard()


@pytest.fixture
def private_servers() -> Iterator[Callable[..., EmbeddedServers]]:
    """Return a factory of servers that a test may kill, freeze and break: `private_servers(durable=True)`.

    Each is started on a directory of its own, and removed after the test.
    """
    made: list[EmbeddedServers] = []

    def make(*, durable: bool = True, **settings: str) -> EmbeddedServers:
        servers = EmbeddedServers(new_home(), durable=durable, postgres_settings=settings, environ={}, say=quiet)
        made.append(servers)
        servers.start()
        return servers

    yield make
    for servers in made:
        servers.discard()


def new_home() -> Path:
    home = Path(tempfile.mkdtemp(prefix=_PREFIX))
    home.chmod(0o755)  # the account that runs the servers for root must pass
    return home


def _clear_abandoned_homes() -> None:
    """Remove what a killed run left on the disk; a home in use stays."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        home = Home(path)
        try:
            if not home.made:  # another run is making it now
                continue
            home.take()
        except (Refusal, FileNotFoundError):  # in use, or another run is removing it
            continue
        home.erase()
        home.leave()


def _database_of(worker: str, url: str) -> str:
    parts = urlsplit(url)
    number = int(parts.path.strip("/") or 0) + int(worker.removeprefix("gw"))
    return urlunsplit(parts._replace(path=f"/{number}"))
