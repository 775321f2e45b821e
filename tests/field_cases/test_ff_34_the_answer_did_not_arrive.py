"""FF-34: the effect happened and the answer did not arrive; never a failure, never a second request.

A system that never answers at all stands in the table of outcomes (tests/intents/test_outcome_table.py).
"""

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from intents import verifying
from intents.models import Evidence, Intent
from tests.rewiring import leading, replaced, rewired
from tests.world import World

AFTER: dict[str, dict[str, Any]] = {
    "a reset": {"mode": "reset_after_effect"},
    "closed with zero bytes": {"mode": "drop_after_effect"},
    **{
        f"a {status}": {"mode": "status", "status": status, "effect": True, "headers": {"Retry-After": "1"}}
        for status in (429, 502, 503)
    },
}
BEFORE: dict[str, dict[str, Any]] = {
    "closed with zero bytes": {"mode": "drop_before_effect"},
    **{f"a {status}": {"mode": "status", "status": status, "headers": {"Retry-After": "1"}} for status in (429, 503)},
}


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many silences in a row are the subject here, not a reason to leave the system alone."""
    monkeypatch.setattr(settings, "CIRCUIT_SILENCES", 1000)


def met(world: World, number: int, **fault: Any) -> Intent:
    """An order on a file of its own meets this fault; exactly one request is sent."""
    ref = f"D-{3400 + number}"
    world.sandbox.put("dossiers", ref, version=7, state="active", establishment="A")
    world.sandbox.fault(**fault)
    intent = world.done(ref)
    assert len(world.sandbox.requests(method="POST", client_ref=str(intent.reference))) == 1, fault
    return intent


def test_an_effect_whose_answer_is_lost_is_unknown_until_a_look_finds_it(world: World) -> None:
    for number, (name, fault) in enumerate(AFTER.items()):
        intent = met(world, number, **fault)
        lost = fault["mode"] != "status"
        expected = "outcome_unknown" if lost else "confirmed"  # whoever answers is read back at once
        assert (name, world.status(intent)) == (name, expected)
        verifying.probe(intent.pk)
        assert (name, world.status(intent)) == (name, "confirmed")
        assert len(world.sandbox.effects(client_ref=str(intent.reference))) == 1
    world.sweep()
    assert len(world.sandbox.submissions()) == len(AFTER)


def test_the_same_answers_without_an_effect_are_just_as_unknown(world: World) -> None:
    for number, (name, fault) in enumerate(BEFORE.items()):
        intent = met(world, number, **fault)
        verifying.probe(intent.pk)
        assert (name, world.status(intent)) == (name, "outcome_unknown"), "nothing found is no proof of absence"
    assert world.sandbox.effects() == []


def test_a_system_that_cannot_be_reached_was_sent_nothing_and_is_tried_later(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lives_at = leading(monkeypatch, desk_test="127.0.0.1")
    moved = world.sandbox.url.replace("127.0.0.1", "desk.test")
    with rewired(tmp_path / "systems", replaced(("${SANDBOX_URL}", moved), ("hosts: [", "hosts: [desk.test, "))):
        intent = world.approved()
        for nowhere in ("127.0.0.9", "no-such-name.invalid"):  # nobody listens there; it leads nowhere
            lives_at["desk.test"] = nowhere
            world.hand_over(intent)
            assert (world.status(intent), intent.waiting) == ("approved", "target_unreachable")
        assert world.sandbox.submissions() == []
        lives_at["desk.test"] = "127.0.0.1"
        assert world.status(world.hand_over(intent)) == "confirmed"
    assert len(world.sandbox.submissions()) == len(world.sandbox.effects()) == 1


def test_a_409_is_confirmed_only_by_a_look_that_finds_ours(world: World) -> None:
    strangers = {"error": "exists", "request_ref": "R-666", "client_ref": "somebody-else"}
    cases = (
        (True, {"error": "exists"}, "confirmed"),
        (False, {"error": "exists"}, "outcome_unknown"),
        (False, strangers, "outcome_unknown"),
    )
    for number, (effect, told, expected) in enumerate(cases):
        intent = met(world, number, mode="status", status=409, effect=effect, body=told)
        assert world.status(intent) == expected
        assert "R-666" not in str(world.standing(intent))
        sources = set(Evidence.objects.filter(intent=intent, verdict="proves").values_list("source", flat=True))
        assert sources == ({"confirmation"} if effect else set())
