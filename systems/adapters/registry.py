"""The adapters of this process, by the name of their business system."""

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType

from django.conf import settings
from django.utils.module_loading import import_string

from systems.adapters.base import Adapter, UnknownSystem
from systems.adapters.http import HttpAdapter
from systems.configuration import HTTP, SystemConfig, load_systems
from systems.yamlfiles import FileError, Problem

__all__ = ["UnknownSystem", "adapter", "reload", "standing_in", "systems"]

Make = Callable[[SystemConfig], Adapter]

_lock = threading.RLock()
_loaded: dict[str, Adapter] | None = None
_STANDING_IN: ContextVar[Mapping[str, Adapter]] = ContextVar("standing_in", default=MappingProxyType({}))


def adapter(name: str) -> Adapter:
    """The adapter of this system; UnknownSystem when no file configures it, FileError when the files are wrong."""
    try:
        return _STANDING_IN.get().get(name) or _adapters()[name]
    except KeyError as error:
        raise UnknownSystem(f"No business system is called {name}.") from error


def systems() -> Mapping[str, SystemConfig]:
    """Every configured system, by name."""
    adapters = {**_adapters(), **_STANDING_IN.get()}
    return MappingProxyType({name: each.config for name, each in adapters.items()})


@contextmanager
def standing_in(adapter: Adapter) -> Iterator[None]:
    """In this context its system is reached through this adapter: a rehearsal cuts the wire of its own calls only."""
    token = _STANDING_IN.set({**_STANDING_IN.get(), adapter.config.name: adapter})
    try:
        yield
    finally:
        _STANDING_IN.reset(token)


def reload() -> None:
    """The files are read again at the next use."""
    global _loaded
    with _lock:
        _loaded = None


def _adapters() -> dict[str, Adapter]:
    """Read once for each process: a running process never changes its mind about a system."""
    global _loaded
    if _loaded is None:
        with _lock:
            if _loaded is None:
                _loaded = _load()
    return _loaded


def _load() -> dict[str, Adapter]:
    found: dict[str, Adapter] = {}
    for directory in filter(None, str(settings.SYSTEMS_DIR).split(os.pathsep)):
        for name, config in load_systems(Path(directory), environ=os.environ).items():
            if name in found:
                raise FileError(Problem(config.source_file, 1, "name", f"{name} is configured twice."))
            found[name] = made(config)
    return found


def made(config: SystemConfig) -> Adapter:
    """The adapter of this configuration; FileError when there is none of its kind, or it refuses the file."""
    try:
        return _kind(config.adapter)(config)
    except (LookupError, ImportError, ValueError) as error:
        raise FileError(Problem(config.source_file, 1, "adapter", str(error))) from error


def _kind(name: str) -> Make:
    if name == HTTP:
        return HttpAdapter
    if name not in settings.SYSTEM_ADAPTERS:
        raise LookupError(f"there is no adapter {name}: SYSTEM_ADAPTERS names no class for it.")
    make: Make = import_string(settings.SYSTEM_ADAPTERS[name])
    return make


def _after_fork() -> None:
    """A forked child has its own lock; another thread of the parent may have held the old one."""
    global _lock
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_after_fork)
