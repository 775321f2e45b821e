"""Homes for servers that a test starts, breaks and starts again."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from demo.home import Home


@pytest.fixture
def home() -> Iterator[Path]:
    """A directory that the servers' account can enter (pytest's own tmp_path is private to its user)."""
    with tempfile.TemporaryDirectory(prefix="countersign-home-") as made:
        Path(made).chmod(0o755)
        path = Path(made) / "demo"
        yield path
        if path.exists():
            Home(path).clear()  # data may lie elsewhere
