"""FF-44: revoked while the send is under way: "revoked, nothing was sent" or "too late, being sent"; never both."""

import random
import threading
import time

import pytest
from django.db import connections

from intents import cancelling, dispatching, stopping, verifying
from intents.models import Intent
from intents.stopping import TooLate
from tests.intents.desk import lost_after_effect
from tests.world import World

ROUNDS = 10  # the fifty of the acceptance are those of tests/scenarios


def revoked(world: World, intent: Intent) -> str:
    """What the person is told."""
    try:
        stopping.revoke(person=world.people["approver"], proposal_id=intent.revision.proposal_id, reason="OTHER")
    except TooLate as late:
        return str(late.sentence)
    return "revoked"


@pytest.mark.parametrize(
    ("step", "words"), [("marked", "it is being sent"), ("handed_over", "it is being sent"), ("taken_up", "revoked")]
)
def test_at_each_step_the_person_is_told_the_one_true_thing(
    world: World, step: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    intent = world.approved()
    monkeypatch.setenv("COUNTERSIGN_FAILPOINT", f"{step}:sleep=0.6")

    def send() -> None:
        dispatching.hand_over(intent.pk, worker="w")
        connections.close_all()

    sender = threading.Thread(target=send)
    sender.start()
    time.sleep(0.4)
    told = revoked(world, intent)
    sender.join()
    assert words in told
    assert len(world.sandbox.effects()) == (0 if told == "revoked" else 1)
    assert world.status(intent) == ("revoked" if told == "revoked" else "confirmed")


def test_at_random_moments_exactly_one_of_the_two_is_true(world: World) -> None:
    chance = random.Random(44)
    for number in range(ROUNDS):
        world.sandbox.put("dossiers", f"D-9{number}", version=7, state="active", establishment="A")
        intent = world.approved(f"D-9{number}")
        before = len(world.sandbox.effects())

        def send(pk: int = intent.pk) -> None:
            dispatching.hand_over(pk, worker="w")
            connections.close_all()

        sender = threading.Thread(target=send)
        sender.start()
        time.sleep(chance.uniform(0, 0.06))
        told = revoked(world, intent)
        sender.join()
        made = len(world.sandbox.effects()) - before
        assert (told == "revoked", made) in ((True, 0), (False, 1)), told


def test_three_words_revoked_too_late_and_a_cancellation_requested(world: World) -> None:
    stopped = world.approved()
    assert revoked(world, stopped) == "revoked"
    assert world.standing(stopped).status == "revoked"
    intent = lost_after_effect(world)
    assert "You can ask for a cancellation" in revoked(world, intent)
    stopping.request_cancellation(
        person=world.people["approver"], proposal_id=intent.revision.proposal_id, reason="OTHER"
    )
    assert "A cancellation was asked for; it was not sent yet." in world.standing(intent).statement
    verifying.probe(intent.pk)
    cancelling.cancel(intent.pk, worker="w")
    told = world.standing(intent)
    assert told.status == "confirmed"
    assert "the business system says it cancelled it" in told.statement
