"""Revocation against hand-over, each in a process of its own, at random moments: exactly one truthful answer.

`COUNTERSIGN_RACES` says how many; a failure names its seed and its moments.
"""

import os
import random
import time
from collections import Counter

from intents import dispatching, stopping
from intents.models import Intent
from tests.crash.apart import beside
from tests.world import World

RACES = int(os.environ.get("COUNTERSIGN_RACES", "50"))
SEED = int(os.environ.get("COUNTERSIGN_RACES_SEED", "44"))
APART = 0.04  # seconds: a revocation begins at most so long before a hand-over, or twice that after it
TRUE = {("revoked", "revoked", 0, 0), ("too late", "confirmed", 1, 1)}


def test_exactly_one_of_revoked_and_too_late_is_true_and_it_is_told(world: World) -> None:
    chance, told = random.Random(SEED), Counter[str]()
    for number in range(RACES):
        file = f"D-{9100 + number}"
        world.sandbox.put("dossiers", file, version=7, state="active", establishment="A")
        sending, revoking = chance.uniform(0, APART), chance.uniform(0, 2 * APART)
        came = _race(world, world.approved(file), sending=sending, revoking=revoking)
        assert came in TRUE, f"seed {SEED}, race {number}, {sending:.3f} s against {revoking:.3f} s: {came}"
        told[came[0]] += 1
    print(f"of {RACES} races: {dict(told)}")


def _race(world: World, intent: Intent, *, sending: float, revoking: float) -> tuple[str, str, int, int]:
    """What the person was told, what is read then, and how many orders and effects the business system has."""
    with beside(lambda: dispatching.hand_over(intent.pk, worker="racer"), after=sending):
        time.sleep(revoking)
        told = _revoked(world, intent)
    ours = {"client_ref": str(intent.reference)}
    orders = [one for one in world.sandbox.requests(method="POST", **ours) if one["path"] == "/review-requests"]
    return told, world.status(intent), len(orders), len(world.sandbox.effects(**ours))


def _revoked(world: World, intent: Intent) -> str:
    person = world.people["approver"]
    try:
        stopping.revoke(person=person, proposal_id=intent.revision.proposal_id, reason="OTHER", words="Wrong file.")
    except stopping.TooLate:
        return "too late"
    return "revoked"
