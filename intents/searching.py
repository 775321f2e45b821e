"""Asks the business system for effects that carry our reference, outside any transaction, and judges what it shows."""

from datetime import datetime

from intents.establishing import Seen
from intents.evidence import judge_lookup
from intents.holding import Held
from intents.models import Evidence
from journal.clock import now as database_now
from systems.adapters.base import Lookup


def search(held: Held, *, attempt: int, source: str = Evidence.Source.PROBE) -> Seen:
    """One search over all pages, as an observation that is not kept yet. The system must declare that it can.

    It is as old as its beginning, by the database's clock.
    """
    began = database_now()
    return as_seen(held, held.adapter.lookup(held.order), attempt=attempt, source=source, began=began)


def as_seen(held: Held, lookup: Lookup, *, attempt: int, source: str, began: datetime) -> Seen:
    """What a search showed, judged by the contract's rules."""
    judgement = judge_lookup(
        held.contract.effect_to_verify,
        arguments=held.arguments,
        found=lookup.found,
        complete=lookup.complete,
        reference=held.reference,
    )
    return Seen(
        source=source,
        judgement=judgement,
        attempt=attempt,
        observed_at=began,
        fault=lookup.fault or "",
        digest=lookup.body_digest or "",
        excerpt=lookup.excerpt if lookup.found else "",
        facts={"found": len(lookup.found), "complete": lookup.complete},
    )
