"""What every adapter promises, and the values it speaks in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from systems.configuration import SystemConfig


class Delivery(StrEnum):
    """How far a request provably got: a doubt is always MAYBE_SENT."""

    NEVER_SENT = "never_sent"
    MAYBE_SENT = "maybe_sent"
    ANSWERED = "answered"


class CannotPrepare(Exception):
    """The order cannot be put into the words of the business system; nothing was sent. The text is a sentence."""


class UnknownSystem(LookupError):
    """No business system of that name is configured."""


class UnknownOperation(UnknownSystem):
    """The business system has no such operation, or the operation has no such part."""


@dataclass(frozen=True)
class Order:
    """What is to be done: `reference` is the intent's opaque UUID as text, `observed_version` as the target gave it."""

    operation: str
    arguments: Mapping[str, Any]
    target: str | None
    observed_version: Any
    reference: str
    queue: str


@dataclass(frozen=True)
class Prepared:
    """The exact bytes of one request, without authentication; `digest` covers method, url, headers and body.

    `operation` tells the adapter by which rules the answer is judged; it is no part of the bytes.
    """

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    digest: str
    operation: str


@dataclass(frozen=True)
class Reply:
    """What came back from one request, and what the configuration allows to be said about it.

    `fault` is None only when a whole answer arrived. `success`, `accepted` and `refused` are never true without a
    rule of the configuration that held; `not_processed` never without a documented code. `excerpt` has at most 2,000
    characters with secrets and control characters masked; `took` is in seconds.
    """

    delivery: Delivery
    fault: str | None
    status: int | None
    content_type: str
    body_digest: str | None
    excerpt: str
    readable: bool
    unreadable_because: str | None
    success: bool
    accepted: bool
    refused: bool
    not_processed: bool
    reference: str | None
    fields: Mapping[str, Any]
    took: float
    refusal: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Found:
    """One effect that carries exactly the reference looked for; `digest` covers the whole item."""

    reference: str
    fields: Mapping[str, Any]
    digest: str


@dataclass(frozen=True)
class Lookup:
    """What a search by reference showed; `complete` only when every page was read without a fault."""

    found: tuple[Found, ...]
    complete: bool
    fault: str | None
    excerpt: str
    body_digest: str | None
    took: float


@dataclass(frozen=True)
class Listing:
    """Every effect of ours in a span of time, by its own reference; `complete` as for Lookup."""

    found: tuple[Found, ...]
    complete: bool
    fault: str | None
    took: float


@dataclass(frozen=True)
class Preview:
    """What the system says an order would do. It has no effect and proves none; `digest` covers the fields."""

    fields: Mapping[str, Any]
    digest: str


@dataclass(frozen=True)
class Observation:
    """A target as its system shows it now; `scope` is the establishment's code there, `answer` what a read may tell."""

    target: str
    label: str
    state: str
    version: Any
    scope: str
    attributes: Mapping[str, Any]
    digest: str
    answer: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Missing:
    """The system says that there is no such target."""

    reason: str


@dataclass(frozen=True)
class Unreachable:
    """Nothing is known about the target: the system did not answer, or not readably."""

    reason: str


class Adapter(Protocol):
    """One business system. No method retries; each call but `lookup` and `list` makes at most one request.

    Proving who asks may take one more, to the token endpoint and before the request: a token that does not come means
    that nothing was sent.
    """

    @property
    def config(self) -> SystemConfig:
        """The system it speaks to."""

    def resolve(self, operation: str, target: str | None) -> Observation | Missing | Unreachable:
        """The target as it stands now (or, for an operation without target, the answer of its read)."""

    def preview(self, order: Order) -> Preview | Unreachable:
        """What the order would do, as the system says it; nothing is done. The order's reference is not told."""

    def prepare(self, order: Order) -> Prepared:
        """The exact request for this order; CannotPrepare when the order does not fit its templates."""

    def submit(self, prepared: Prepared, *, seconds_left: float) -> Reply:
        """The request is handed over once, within `seconds_left`; always a Reply, whatever happens."""

    def lookup(self, order: Order) -> Lookup:
        """Every effect that carries the order's reference, over all pages within bounds."""

    def list(self, operation: str, *, since: datetime, until: datetime) -> Listing:
        """Every effect of ours from `since` until before `until` (aware), over all pages within bounds."""

    def cancel(self, order: Order, fields: Mapping[str, Any]) -> Reply:
        """Cancellation is asked once; `fields` are those the first answer gave."""

    def person_url(self, operation: str, about: Mapping[str, Any] | str | None) -> str | None:
        """Where a person sees the effect (`about`: its fields) or the target (`about`: its reference), if anywhere."""


def canonical_digest(value: Any) -> str:
    """`sha256:…` over sorted, compact JSON; integers keep every digit."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return bytes_digest(text.encode("utf-8", "surrogatepass"))


def bytes_digest(content: bytes) -> str:
    """`sha256:…` over these bytes."""
    return "sha256:" + hashlib.sha256(content).hexdigest()
