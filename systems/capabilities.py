"""What a business system is known to do, each with where the knowledge comes from."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Any, Literal

from systems.durations import duration

Source = Literal["documented", "observed in rehearsal", "unknown"]


@dataclass(frozen=True)
class Capability:
    """A declared ability; `value` is None exactly when `source` is "unknown"."""

    value: bool | timedelta | str | None = None
    source: Source = "unknown"

    @property
    def known(self) -> bool:
        return self.source != "unknown"


UNKNOWN = Capability()


@dataclass(frozen=True)
class Capabilities:
    """The seven abilities the product relies on; whatever is not declared is unknown, never assumed."""

    echo: Capability = UNKNOWN
    idempotency_key: Capability = UNKNOWN
    conditional_write: Capability = UNKNOWN
    lookup_by_reference: Capability = UNKNOWN
    visibility_delay: Capability = UNKNOWN
    answer: Capability = UNKNOWN
    cancellation: Capability = UNKNOWN

    @property
    def echoes(self) -> bool:
        """Its answers carry our reference, so an answer without it is not about our order."""
        return self.echo.value is True

    @property
    def honours_idempotency(self) -> bool:
        """The same key twice has one effect."""
        return self.idempotency_key.value is True

    @property
    def honours_condition(self) -> bool:
        """A write that names the observed version fails when the version has moved on."""
        return self.conditional_write.value is True

    @property
    def can_look_up(self) -> bool:
        """An effect can be searched by our reference."""
        return self.lookup_by_reference.value is True

    @property
    def can_cancel(self) -> bool:
        """An accepted order can be asked back."""
        return self.cancellation.value is True

    @property
    def answers_at_once(self) -> bool:
        """Its answer to an order is definitive; false for a system that only accepts, or when unknown."""
        return self.answer.value == "definitive"

    @property
    def settles_after(self) -> timedelta | None:
        """How long an effect may stay invisible to a lookup; None when nobody knows."""
        value = self.visibility_delay.value
        return value if isinstance(value, timedelta) else None


def read_capabilities(document: Mapping[str, Mapping[str, Any]]) -> Capabilities:
    """The capabilities of a configuration file that already fits its schema; DurationError for a bad delay."""
    declared = {}
    for capability in fields(Capabilities):
        entry = document.get(capability.name, {})
        value = entry.get("value")
        if capability.name == "visibility_delay" and isinstance(value, str):
            value = duration(value)
        declared[capability.name] = Capability(value, entry.get("source", "unknown"))
    return Capabilities(**declared)
