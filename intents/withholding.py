"""Keeps an intent back before anything is observed: hand-over is paused, or its business system does not answer.

What holds is read at most twice a second by each process, and anew on every connection to the database: a restored
database is always a new connection. A trigger asks again in the transaction that marks.
"""

import threading
import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.backends.signals import connection_created

from intents import circuit, pausing
from intents.holding import hold
from intents.models import Circuit, Intent, Pause
from intents.states import State
from intents.waiting import put_off
from journal.clock import now as database_now
from journal.recording import Actor

FRESH = 0.5  # seconds
PAUSED = "paused"
LOOK_AGAIN = timedelta(seconds=30)
CONSTRAINTS = frozenset({"intents_hand_over_is_paused", "intents_circuit_is_open"})


@dataclass(frozen=True)
class Holds:
    """The organizations that are paused, and the systems of organizations whose circuit is open."""

    paused: frozenset[int] = frozenset()
    circuits: dict[tuple[int, str], datetime] = field(default_factory=dict)


class _Kept(threading.local):
    holds: Holds | None = None
    until: float = 0.0


_kept = _Kept()


def holds() -> Holds:
    """What holds now, half a second old at most; reading it compares the database with the epoch file."""
    if _kept.holds is None or time.monotonic() >= _kept.until:
        pausing.compare()
        paused = frozenset(Pause.objects.filter(lifted_at__isnull=True).values_list("organization", flat=True))
        rows = Circuit.objects.filter(opened_at__isnull=False).values_list("organization", "system", "next_try_at")
        circuits = {(organization, system): at for organization, system, at in rows if at is not None}
        _kept.holds, _kept.until = Holds(paused, circuits), time.monotonic() + FRESH
    return _kept.holds


def forget(**_signal: Any) -> None:
    """What holds is read again at the next question."""
    _kept.holds = None


connection_created.connect(forget)


def keep_back(intent_id: int, *, worker: str) -> str:
    """Why this intent is not looked at now, in one word, after that was written down; empty when it may go on."""
    held_back = holds()
    if not (held_back.paused or held_back.circuits):
        return ""
    intent = Intent.objects.filter(pk=intent_id, state=State.READY).first()
    if intent is None:
        return ""
    if intent.organization_id in held_back.paused:
        return _wait(intent, PAUSED, "", worker=worker)
    next_try = held_back.circuits.get((intent.organization_id, intent.system))
    if next_try is None or circuit.try_one(intent, now=database_now()):
        return ""
    return _wait(intent, circuit.WAITING, intent.system, worker=worker)


def _wait(intent: Intent, waiting: str, on: str, *, worker: str) -> str:
    with transaction.atomic(durable=True):
        held, now = hold(intent.pk), database_now()
        if held.state is not State.READY:
            return "not_ready"
        open_now = Circuit.objects.filter(
            organization=intent.organization_id, system=intent.system, opened_at__isnull=False
        ).first()
        again = open_now.next_try_at if waiting == circuit.WAITING and open_now else now + LOOK_AGAIN
        put_off(held, waiting=waiting, on=on, until=max(again or now, now), actor=Actor.worker(worker), now=now)
    return f"waiting_{waiting}"


def refused_by_database(error: IntegrityError) -> bool:
    """Whether the database refused an attempt because of a pause or an open circuit."""
    name = getattr(getattr(error.__cause__, "diag", None), "constraint_name", None)
    return name in CONSTRAINTS
