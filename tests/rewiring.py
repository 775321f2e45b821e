"""Business systems configured otherwise for a while: the same files with something edited."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from systems.adapters import connecting, registry


@contextmanager
def rewired(folder: Path, edit: Callable[[str], str], *, system: str = "reviews") -> Iterator[Path]:
    """The file of this system reads as `edit` makes it while this lasts, in `folder`, beside the others."""
    before = settings.SYSTEMS_DIR
    folder.mkdir(exist_ok=True)
    for file in Path(before).glob("*.yaml"):
        text = file.read_text()
        (folder / file.name).write_text(edit(text) if file.stem == system else text)
    settings.SYSTEMS_DIR = str(folder)
    registry.reload()
    try:
        yield folder
    finally:
        settings.SYSTEMS_DIR = before
        registry.reload()


def replaced(*pairs: tuple[str, str]) -> Callable[[str], str]:
    """An edit that puts each second text in the place of the first, which must stand there."""

    def edit(text: str) -> str:
        for old, new in pairs:
            assert old in text, old
            text = text.replace(old, new)
        return text

    return edit


def leading(monkeypatch: pytest.MonkeyPatch, **homes: str) -> dict[str, str]:
    """Names lead to these addresses from now on; change the answer to move one (`_` stands for the dot of a name)."""
    lives_at = {name.replace("_", "."): address for name, address in homes.items()}
    real = socket.getaddrinfo

    def look_up(host: str, *rest: Any, **more: Any) -> Any:
        return real(lives_at.get(host, host), *rest, **more)

    monkeypatch.setattr(connecting.socket, "getaddrinfo", look_up)
    return lives_at
