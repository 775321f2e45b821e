"""The faults in force: which request each is for, how often, and whose turn it is."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sandbox.modes import MODES, Mode
from sandbox.wire import Request

COMMON = {"route", "mode", "times", "skip", "where"}


class InvalidFault(ValueError):
    """The fault asked for does not exist or lacks something; the message says what."""


@dataclass
class Fault:
    """One fault: for `route`, after `skip` matching requests, `times` times (None for ever), where all fields match."""

    id: int
    route: str
    mode: Mode
    times: int | None
    skip: int
    where: Mapping[str, Any]
    values: Mapping[str, Any] = field(default_factory=dict)
    passed: int = 0
    taken: int = 0

    def matches(self, request: Request, template: str | None) -> bool:
        method, _, path = self.route.rpartition(" ")
        if method and method != request.method:
            return False
        if not _path_matches(path, request.path, template):
            return False
        return all(request.hints.get(name) == value for name, value in self.where.items())

    @property
    def exhausted(self) -> bool:
        return self.times is not None and self.taken >= self.times

    def document(self) -> dict[str, Any]:
        shown = {name: "***" if name == "secret" else value for name, value in self.values.items()}
        head = {"id": self.id, "route": self.route, "mode": self.mode.name, "times": self.times, "skip": self.skip}
        return {**head, "where": dict(self.where), **shown, "passed": self.passed, "taken": self.taken}


def _path_matches(wanted: str, path: str, template: str | None) -> bool:
    """`*` is every path, a final `$` asks for exactly that path, else whole segments from the left."""
    if wanted in ("*", template):
        return True
    if wanted.endswith("$"):
        return path == wanted[:-1]
    return path == wanted or path.startswith(wanted.rstrip("/") + "/")


class FaultBook:
    """All faults in force, oldest first; the first that matches and has a turn left is taken."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._faults: list[Fault] = []
        self._last = 0

    def add(self, asked: Mapping[str, Any]) -> Fault:
        """The fault is in force from now on; InvalidFault where it cannot be."""
        mode = MODES.get(str(asked.get("mode")))
        if mode is None:
            raise InvalidFault(f"mode: unknown mode {asked.get('mode')!r}; known: {', '.join(sorted(MODES))}")
        times, skip, where = asked.get("times", 1), asked.get("skip", 0), asked.get("where", {})
        _require(times is None or _count(times, 1), "times: a whole number from 1, or null for ever")
        _require(_count(skip, 0), "skip: a whole number from 0")
        _require(isinstance(where, dict), "where: an object of field values")
        route, values = _route(asked.get("route")), _values(mode, asked)
        with self._lock:
            self._last += 1
            fault = Fault(self._last, route, mode, times, skip, where, values)
            self._faults.append(fault)
        return fault

    def take(self, request: Request, template: str | None) -> Fault | None:
        """The fault this request meets, its turn used; None for an honest answer."""
        with self._lock:
            for fault in self._faults:
                if fault.exhausted or not fault.matches(request, template):
                    continue
                if fault.passed < fault.skip:
                    fault.passed += 1
                    continue
                fault.taken += 1
                return fault
        return None

    def documents(self) -> list[dict[str, Any]]:
        with self._lock:
            return [fault.document() for fault in self._faults]

    def remove(self, fault_id: int | None = None) -> int:
        """Remove one fault, or all; returns how many went."""
        with self._lock:
            kept = [] if fault_id is None else [fault for fault in self._faults if fault.id != fault_id]
            gone, self._faults = len(self._faults) - len(kept), kept
        return gone


def _require(holds: bool, words: str) -> None:
    if not holds:
        raise InvalidFault(words)


def _count(value: Any, low: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= 1_000_000


def _route(asked: Any) -> str:
    text = asked if isinstance(asked, str) else ""
    method, _, path = text.rpartition(" ")
    fits = (path == "*" or path.startswith("/")) and "?" not in path and (method == "" or method.isalpha())
    _require(fits, 'route: "POST /review-requests", "/dossiers", "GET *" or "*", without a query')
    return f"{method.upper()} {path}".strip()


def _values(mode: Mode, asked: Mapping[str, Any]) -> dict[str, Any]:
    unknown = set(asked) - COMMON - set(mode.parameters)
    _require(not unknown, f"{', '.join(sorted(unknown))}: no parameter of {mode.name}")
    values = {}
    for name, parameter in mode.parameters.items():
        given = name in asked
        _require(given or not parameter.required, f"{name}: {mode.name} needs it, {parameter.words}")
        _require(not given or parameter.fits(asked[name]), f"{name}: {parameter.words}")
        values[name] = asked[name] if given else parameter.default
    return values
