"""Looks at the real system, and at nothing but what only reads: does it answer as its file declares?"""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from systems.adapters.base import Adapter, Missing, Observation, Order, Unreachable
from systems.conformance.subjects import ConfiguredSubject

SPAN = timedelta(minutes=1)


@dataclass(frozen=True)
class Look:
    """What one look showed; `fine` is false where it is not what the file declares."""

    operation: str
    part: str
    fine: bool
    words: str


def look(adapter: Adapter, *, now: datetime, targets: tuple[str, ...] = ()) -> Iterator[Look]:
    """Reads what can be read: a target that cannot exist, those named, and a reference nobody ever used.

    Nothing is submitted, cancelled or previewed.
    """
    for name, operation in adapter.config.operations.items():
        if operation.has("target"):
            yield _missing(adapter, name)
            yield from (_target(adapter, name, target) for target in targets)
        elif operation.has("answer"):
            seen = adapter.resolve(name, None)
            fine = isinstance(seen, Observation)
            yield Look(name, "answer", fine, "answers." if fine else _reason(seen))
        if operation.has("lookup"):
            yield _search(adapter, name)
        if operation.has("list"):
            listing = adapter.list(name, since=now - SPAN, until=now)
            told = f"lists {len(listing.found)} effects of the last minute."
            yield Look(name, "list", listing.complete, told if listing.complete else f"breaks off: {listing.fault}.")


def _missing(adapter: Adapter, operation: str) -> Look:
    seen = adapter.resolve(operation, f"no-such-{uuid.uuid4().hex[:12]}")
    if isinstance(seen, Missing):
        return Look(operation, "target", True, "says of a target that does not exist that there is none.")
    words = "shows a target that cannot exist." if isinstance(seen, Observation) else _reason(seen)
    return Look(operation, "target", False, words)


def _target(adapter: Adapter, operation: str, target: str) -> Look:
    seen = adapter.resolve(operation, target)
    if isinstance(seen, Observation):
        version = f", version {seen.version}" if seen.version is not None else ""
        return Look(operation, "target", True, f"shows {target}: {seen.state}{version}, of {seen.scope}.")
    return Look(operation, "target", False, f"does not show {target}: {_reason(seen)}")


def _search(adapter: Adapter, operation: str) -> Look:
    order = ConfiguredSubject(adapter.config, operation).order()
    got = adapter.lookup(Order(operation, order.arguments, order.target, "7", str(uuid.uuid4()), "queue"))
    if not got.complete:
        return Look(operation, "lookup", False, f"a search for a reference nobody used breaks off: {got.fault}.")
    if got.found:
        return Look(operation, "lookup", False, "a search for a reference nobody used finds something.")
    return Look(operation, "lookup", True, "finds nothing for a reference nobody used.")


def _reason(seen: Observation | Missing | Unreachable) -> str:
    return seen.reason if isinstance(seen, Missing | Unreachable) else "shows something else."
