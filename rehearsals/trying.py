"""Tries what a business system is declared to do; what is not declared is not tried, and said to be so."""

import time
import uuid
from dataclasses import replace

from intents import cancelling, stopping
from intents.models import Cancellation, Intent
from rehearsals.counting import count, order_of, proof_of
from rehearsals.playing import Observed, Play, look_until_settled, lost
from rehearsals.stages import WORKER
from rehearsals.wires import Cut, until
from systems.adapters.base import Lookup, Order, Reply
from systems.capabilities import Capabilities

NOT_DECLARED = "not_declared"
NOTHING_TO_TRY_ON = "nothing_to_try_on"
NO_VERSION = "no_version"
NOT_CARRIED = "version_not_carried"  # the request of this operation names no version


def _declared(play: Play) -> Capabilities:
    return play.plan.adapter.config.capabilities


def lookup(play: Play) -> Observed | str:
    """The effect of the first path is found by its reference, once; a reference that nobody used finds nothing."""
    if not _declared(play).can_look_up:
        return NOT_DECLARED
    if (order := _first(play)) is None:
        return NOTHING_TO_TRY_ON
    settles = _declared(play).settles_after
    seen = play.plan.adapter.lookup(order)

    def shown() -> bool:
        nonlocal seen
        seen = play.plan.adapter.lookup(order)
        return bool(seen.found) or not seen.complete

    until(shown, seconds=settles.total_seconds() if settles else 1.0, every=0.3)
    other = play.plan.adapter.lookup(replace(order, reference=str(uuid.uuid4())))
    play.proof |= {"search": proof_of(seen), "search_of_another": proof_of(other)}
    return {"found": _told(seen), "found_of_another": _told(other)}


def _told(seen: Lookup) -> int | str:
    return len(seen.found) if seen.complete else seen.fault or "incomplete"


def visibility_delay(play: Play) -> Observed | str:
    """A new effect is searched for until it shows: how long that takes is measured, up to what is declared."""
    settles = _declared(play).settles_after
    if settles is None or not _declared(play).can_look_up:
        return NOT_DECLARED
    stage = play.set_up()
    intent = stage.approved()
    stage.hand_over(intent)
    handed_over, order = time.monotonic(), order_of(intent)
    shown = until(lambda: bool(play.plan.adapter.lookup(order).found), seconds=settles.total_seconds(), every=0.25)
    took = round(time.monotonic() - handed_over, 2)
    waits = play.plan.contract.reconciliation.visibility_delay
    play.proof |= {"reference": order.reference, "declared_seconds": settles.total_seconds()}
    play.proof |= {"measured_seconds": took if shown else None, "contract_waits_seconds": waits.total_seconds()}
    enough = waits >= settles or (shown and waits.total_seconds() >= took)
    return {"within": shown, "contract_waits": enough, "measured_seconds": took if shown else "longer"}


def echo(play: Play) -> Observed | str:
    """The answer carries our reference."""
    if not _declared(play).echoes:
        return NOT_DECLARED
    reply: Reply | None = play.kept.get("reply")
    order = _first(play)
    if reply is None or order is None:
        return NOTHING_TO_TRY_ON
    play.proof |= {"digest": reply.body_digest, "reference": reply.reference}
    return {"echoed": reply.reference == order.reference}


def answer(play: Play) -> Observed | str:
    """The answer to an order is definitive at once, or only accepts it."""
    if not isinstance(_declared(play).answer.value, str):
        return NOT_DECLARED
    reply: Reply | None = play.kept.get("reply")
    if reply is None:
        return NOTHING_TO_TRY_ON
    seen = "definitive" if reply.success else "accepted" if reply.accepted else "neither"
    play.proof |= {"declared": _declared(play).answer.value, "status": reply.status, "digest": reply.body_digest}
    declared = "definitive" if _declared(play).answers_at_once else "accepted"
    return {"as_declared": seen == declared, "answer": seen}


def idempotency_key(play: Play) -> Observed | str:
    """The exact bytes of the first path once more, with the same key: still one effect."""
    if not _declared(play).honours_idempotency:
        return NOT_DECLARED
    first, order = play.kept.get("prepared"), _first(play)
    if first is None or order is None:
        return NOTHING_TO_TRY_ON
    config = play.plan.adapter.config
    play.plan.adapter.inner.submit(first, seconds_left=config.attempt_deadline.total_seconds())
    seen = count(play.plan.adapter, order, witness=play.plan.witness)
    play.kept["orders"][order.reference] = (order, seen.effects or 0)
    play.proof |= {"digest": first.digest, "by_search": seen.found, "by_ledger": seen.ledger}
    return {"effects": seen.effects}


def conditional_write(play: Play) -> Observed | str:
    """An order that names another version than the current one is refused by the system itself."""
    if not _declared(play).honours_condition:
        return NOT_DECLARED
    if play.plan.system_version is None:
        return NO_VERSION
    stage = play.set_up()
    intent = stage.approved()
    order, inner = order_of(intent), play.plan.adapter.inner
    if inner.prepare(order).digest == inner.prepare(_outdated(order)).digest:
        return NOT_CARRIED
    play.plan.adapter.ordered = _outdated
    stage.hand_over(intent)
    counted = play.counted(stage, expected=0)
    return {"status": stage.status(intent), "effects": counted["effects"]}


def _outdated(order: Order) -> Order:
    version = order.observed_version
    return replace(order, observed_version=version + 1 if isinstance(version, int) else f"{version}-outdated")


def cancellation(play: Play) -> Observed | str:
    """What was sent, and whose answer was lost, is found and taken back."""
    operation = play.plan.adapter.config.operations[play.plan.contract.execution.operation]
    if not (_declared(play).can_cancel and _declared(play).can_look_up and operation.has("cancel")):
        return NOT_DECLARED
    stage, intent = lost(play, Cut.BEFORE_THE_ANSWER)
    stopping.request_cancellation(
        person=stage.approvers[0], proposal_id=intent.revision.proposal_id, reason="OTHER", words="Rehearsal."
    )
    look_until_settled(play, stage, intent)
    cancelling.cancel(intent.pk, worker=WORKER)
    row = Cancellation.objects.filter(intent=intent).order_by("-pk").first()
    play.proof |= {"result": row.result if row else "none"}
    return {"taken_back": row is not None and row.result == Cancellation.Result.CANCELLED}


def nothing_more(play: Play) -> Observed:
    """Everything is counted once more at the end: nothing has come since."""
    more = []
    for reference, (order, before) in play.kept["orders"].items():
        after = count(play.plan.adapter, order, witness=play.plan.witness)
        if after.effects is not None and after.effects > max(1, before):
            more.append(reference)
    play.proof |= {"more": more}
    return {"more_than_expected": len(more), "orders": len(play.kept["orders"])}


def _first(play: Play) -> Order | None:
    """The order of the first path, if it was sent."""
    intent: Intent | None = play.kept.get("accepted")
    return None if intent is None else order_of(intent)
