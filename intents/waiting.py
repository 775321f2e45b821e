"""Keeps a ready intent waiting, visibly, with a bounded back-off that never outlasts its authorization."""

from datetime import datetime, timedelta

from intents.holding import Held
from intents.models import Intent, Recheck
from intents.moving import instant, tell_of
from intents.rechecks import WAIT, Row, Ruling
from intents.states import State
from journal.kinds import Kind
from journal.recording import Actor

BACK_OFF = tuple(timedelta(seconds=seconds) for seconds in (1, 2, 5, 10, 30))


def next_look(now: datetime, *, looks: int, expires_at: datetime) -> datetime:
    """When to look again after so many looks; at the latest when the authorization ends, to say so."""
    return min(now + BACK_OFF[min(looks, len(BACK_OFF) - 1)], max(expires_at, now))


def wait(held: Held, ruling: Ruling, rows: tuple[Row, ...], *, actor: Actor, now: datetime) -> str:
    """The intent stays ready and says what it waits on; told only when that changes. In the caller's transaction."""
    if ruling.waiting == "observation_stale":
        return ruling.waiting
    intent = held.intent
    changed = (intent.waiting, intent.waiting_on) != (ruling.waiting, ruling.on)
    looks = 0 if changed else intent.looks + 1
    _put(
        intent,
        waiting=ruling.waiting,
        waiting_on=ruling.on,
        looks=looks,
        next_look_at=next_look(now, looks=looks, expires_at=held.authorization.expires_at),
    )
    if changed:
        _tell(held, rows, actor=actor, now=now)
    return f"waiting_{ruling.waiting}"


def _put(intent: Intent, **columns: object) -> None:
    Intent.objects.filter(pk=intent.pk, state=State.READY, attempt=intent.attempt).update(**columns)
    for name, value in columns.items():
        setattr(intent, name, value)


def _tell(held: Held, rows: tuple[Row, ...], *, actor: Actor, now: datetime) -> None:
    ledger = [row.as_json() for row in rows]
    Recheck.objects.create(intent=held.intent, attempt=held.intent.attempt, at=now, outcome=WAIT, ledger=ledger)
    facts = {
        "waiting": held.intent.waiting,
        "on": held.intent.waiting_on,
        "next_look_at": instant(held.intent.next_look_at),
        "ledger": ledger,
    }
    tell_of(held, kind=Kind.INTENT_WAITING, actor=actor, now=now, facts=facts)


def put_off(held: Held, *, waiting: str, on: str, until: datetime, actor: Actor, now: datetime) -> None:
    """The ready intent waits until `until` without having been looked at; told only when what it waits on changes.

    At the latest it is looked at when its authorization ends, to say so. In the caller's transaction.
    """
    changed = (held.intent.waiting, held.intent.waiting_on) != (waiting, on)
    again = min(until, max(held.authorization.expires_at, now))
    _put(held.intent, waiting=waiting, waiting_on=on, looks=0, next_look_at=again)
    if changed:
        facts = {"waiting": waiting, "on": on, "next_look_at": instant(again)}
        tell_of(held, kind=Kind.INTENT_WAITING, actor=actor, now=now, facts=facts)
