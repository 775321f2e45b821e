"""Counts effects in the business system by our reference: its search, and the ledger of the sandbox."""

import json
import os
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import Any

from intents.holding import glance
from intents.models import Intent
from systems.adapters.base import Adapter, Lookup, Order
from systems.configuration import SystemConfig

LEDGER_SECONDS = 5.0


@dataclass(frozen=True)
class Count:
    """`found` by the search (None where it did not work, or is not declared), `ledger` by the system's own ledger."""

    found: int | None
    ledger: int | None

    @property
    def effects(self) -> int | None:
        """What is known: the ledger tells the whole, a search what it shows."""
        return self.found if self.ledger is None else self.ledger


def order_of(intent: Intent) -> Order:
    """The order of an intent, as it was prepared."""
    return glance(intent.pk).order


def search(adapter: Adapter, order: Order) -> Lookup | None:
    """One search; None where the system declares none."""
    return adapter.lookup(order) if adapter.config.capabilities.can_look_up else None


def count(adapter: Adapter, order: Order, *, witness: str | None) -> Count:
    """How many effects carry the order's reference."""
    seen = search(adapter, order)
    found = len(seen.found) if seen is not None and seen.complete else None
    return Count(found, _in_ledger(witness, order, adapter.config) if witness else None)


def proof_of(seen: Lookup) -> dict[str, Any]:
    """What a search showed, for the report: digests, never bodies."""
    return {
        "found": len(seen.found),
        "complete": seen.complete,
        "fault": seen.fault or "",
        "digest": seen.body_digest or "",
        "items": [one.digest for one in seen.found[:5]],
    }


def witness_of(config: SystemConfig) -> str | None:
    """The address of the ledger, where the system is the sandbox that the environment names; None elsewhere."""
    sandbox = os.environ.get("SANDBOX_URL", "").rstrip("/")
    return sandbox if sandbox and config.base_url.rstrip("/") == sandbox else None


def _in_ledger(witness: str, order: Order, config: SystemConfig) -> int:
    """A cancellation asked for an effect is no second one; where cancelling is itself the order, it is the effect."""
    asked_back = config.operations[order.operation].has("cancel")
    address = f"{witness}/_control/effects?{urllib.parse.urlencode({'client_ref': order.reference})}"
    with urllib.request.urlopen(address, timeout=LEDGER_SECONDS) as answer:  # noqa: S310  the sandbox's own address
        items: list[dict[str, Any]] = json.loads(answer.read())["items"]
    return sum(not (asked_back and str(one["kind"]).endswith(".cancelled")) for one in items)
