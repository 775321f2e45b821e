"""The only hand that changes an intent's state: guard, fence and journal entry in one breath."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from intents.holding import Held
from intents.models import Intent
from intents.states import FENCING, FINAL, State, may_move
from journal.kinds import Kind
from journal.recording import Actor
from journal.statements import change, say_later
from journal.wire import Rows
from proposals.chaining import tell
from proposals.keys import release_derived
from proposals.nudging import nudge

WITHOUT_EFFECT = frozenset({State.VOID, State.NOT_EXECUTED, State.REFUSED})
WOKEN_AT_ONCE = 20
# Whoever is looking at this moment holds its row, and needs no waking: never wait for it here.
WAKE = """
WITH free AS MATERIALIZED (
    SELECT id FROM intents_intent
    WHERE organization_id = $1 AND system = $2 AND target = $3 AND state = 'ready' AND waiting = 'fence'
    ORDER BY id LIMIT $4 FOR UPDATE SKIP LOCKED
)
UPDATE intents_intent SET next_look_at = $5 WHERE id IN (SELECT id FROM free) AND state = 'ready' RETURNING id
"""


class Moved(Exception):
    """The intent is not where it was expected any more: somebody else moved it first."""


class NoSuchMove(ValueError):
    """The machine has no such arrow."""


def move(
    held: Held,
    *,
    to: State,
    actor: Actor,
    now: datetime,
    kind: Kind,
    expected: State,
    fence: int,
    facts: Mapping[str, Any] | None = None,
    personal: Mapping[str, Any] | None = None,
    **columns: Any,
) -> None:
    """The intent stands in `to`, with its journal entry, if it stood in `expected` at attempt `fence`.

    Inside a transaction that locked the proposal first (intents.holding). `columns` change in the same
    statement. A final state ends every queue; one without effect releases the submission's derived key.

    Raises:
        NoSuchMove: the machine has no arrow from `expected` to `to`.
        Moved: not exactly one row stood there; nothing was changed.
    """
    if not may_move(expected, to):
        raise NoSuchMove(f"{held.intent.public_id}: no arrow from {expected} to {to}")
    changes = {"state": to, "changed_at": now, **_end(to, now), **columns}
    change(
        Intent,
        where={"id": held.intent.pk, "state": expected, "attempt": fence},
        otherwise=Moved(f"{held.intent.public_id} is not {expected} at attempt {fence} any more"),
        **changes,
    )
    for name, value in changes.items():
        setattr(held.intent, name, value)
    told = {"from": expected, "to": to, "attempt": held.intent.attempt, **(facts or {})}
    tell_of(held, kind=kind, actor=actor, now=now, facts=told, personal=personal)
    if to in WITHOUT_EFFECT:
        release_derived(held.proposal)
    if to in FINAL and (expected in FENCING or held.intent.reopened_at):
        wake_waiters(held, now=now)


def _end(to: State, now: datetime) -> dict[str, Any]:
    if to not in FINAL:
        return {}
    return {"ended_at": now, "next_look_at": None, "next_probe_at": None, "waiting": "", "waiting_on": ""}


def tell_of(
    held: Held,
    *,
    kind: Kind,
    actor: Actor,
    now: datetime,
    facts: Mapping[str, Any] | None = None,
    personal: Mapping[str, Any] | None = None,
) -> None:
    """A fact about the intent is told on its proposal's chain."""
    tell(
        held.proposal,
        kind=kind,
        actor=actor,
        now=now,
        revision=held.revision.number,
        subjects={"intent": held.intent.public_id},
        facts=facts,
        personal=personal,
    )


def wake_waiters(held: Held, *, now: datetime) -> None:
    """Whoever waited for this object looks again at once. A nudge that is lost is found by the sweep."""
    intent = held.intent
    if intent.target is not None:
        given = [intent.organization_id, intent.system, intent.target, WOKEN_AT_ONCE, now]
        say_later(WAKE, given, then=_nudge_all)


def _nudge_all(woken: Rows) -> None:
    for pk in sorted(pk for (pk,) in woken):
        nudge("intents.tasks.hand_over", pk)


def instant(moment: datetime | None) -> str | None:
    """The spelling of an instant in facts: UTC, microseconds, `Z`."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z") if moment else None
