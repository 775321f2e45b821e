"""Asking a business system what an order would do: read-only, never evidence, and for the people who decide."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from systems.adapters.base import Order, Unreachable
from systems.adapters.registry import adapter, systems
from systems.observing import require_no_transaction


@dataclass(frozen=True)
class Foreseen:
    """What the system says the order would do: its fields, and the words that the configuration has for their names."""

    fields: Mapping[str, Any]
    words: Mapping[str, Mapping[str, str]]


def can_foresee(*, system: str, operation: str) -> bool:
    """Whether the configuration of the system says how this is asked."""
    config = systems().get(system)
    known = config.operations.get(operation) if config else None
    return known is not None and known.has("preview")


def foresee(*, system: str, order: Order) -> Foreseen | Unreachable:
    """The system's own answer, in one request that only reads. The order's reference is not told.

    Raises RuntimeError inside a transaction, and UnknownSystem for a system or an operation that no file configures.
    """
    require_no_transaction()
    asked = adapter(system)
    seen = asked.preview(order)
    if isinstance(seen, Unreachable):
        return seen
    preview = asked.config.operations[order.operation].preview
    return Foreseen(seen.fields, preview.words if preview else {})
