"""A web server that a test may kill."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import _web
from tests.processes import Process


@pytest.fixture
def own_web(child_env: dict[str, str], tmp_path: Path) -> Iterator[Callable[[], tuple[str, Callable[[], None]]]]:
    """Start a web server of the test's own: its address, and how to kill it and its children at once."""
    started: list[Process] = []

    def start() -> tuple[str, Callable[[], None]]:
        process = _web(child_env, tmp_path, workers=1)
        started.append(process)
        return process.url, process.kill

    yield start
    for process in started:
        process.stop()
