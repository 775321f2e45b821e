"""While an outcome on an object is unknown, every tool and every agent waits for it, or is refused where declared."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from approvals.refusals import Refusal
from intents.models import Attempt, Intent
from tenancy import tokens
from tenancy.models import Agent
from tests.world import World

UNDO = {"tool": "annuler_revue_dossier", "arguments": {"dossier_ref": "D-42", "request_ref": "R-98"}}
AGAIN = {"arguments": {"dossier_ref": "D-42", "expected_version": 7, "reason_code": "PIECE_MANQUANTE"}}


@pytest.fixture
def second(world: World) -> str:
    """Another agent of the same establishment."""
    agent = Agent.objects.create(organization=world.demo, name="agent-a2")
    _token, world.secrets["agent-a2"] = tokens.mint(
        actor=None,
        agent=agent,
        on_behalf_of=world.people["requester"],
        scopes=[world.scopes["A"]],
        expires_at=timezone.now() + timedelta(days=1),
    )
    return "agent-a2"


def unknown(world: World) -> Intent:
    """An order on D-42 whose outcome nobody knows."""
    world.sandbox.fault("drop_before_effect")
    intent = world.done()
    assert intent.state == "unknown"
    return intent


@pytest.mark.parametrize("asked", [UNDO, AGAIN], ids=["another tool", "the same tool"])
@pytest.mark.parametrize("agent", ["agent-a", "agent-a2"])
def test_whoever_comes_with_whatever_tool_waits_and_says_for_which(
    world: World, second: str, asked: dict[str, Any], agent: str
) -> None:
    intent = unknown(world)
    proposal = world.propose(agent=agent, **asked)
    world.sign(proposal)
    waits = world.hand_over(world.open(proposal))
    assert (waits.state, waits.waiting, waits.waiting_on) == ("ready", "fence", intent.public_id)
    assert Attempt.objects.filter(intent=waits).count() == 0


@pytest.mark.parametrize("agent", ["agent-a", "agent-a2"])
def test_a_tool_that_refuses_does_so_at_submission_and_at_hand_over(world: World, second: str, agent: str) -> None:
    world.publish("annuler_revue_dossier-1", version="2", execution={"on_fence": "refuse"})
    before = world.propose(agent=agent, **UNDO)
    world.sign(before)
    early = world.open(before)
    intent = unknown(world)
    with pytest.raises(Refusal) as caught:
        world.propose(agent=agent, session="later", **UNDO)
    assert (caught.value.code, intent.public_id in caught.value.detail) == ("object_fenced", True)
    assert (world.hand_over(early).state, early.cause) == ("void", "object_fenced")
    assert world.status(early) == "not_sent"
