"""The policy's question at hand-over is gathered in one statement; it is the question the rooms ask one by one."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from django.db import transaction

from approvals import assessing
from approvals.policy import Stage
from intents.asking import question_at_hand_over
from intents.holding import Held, glance, hold_with_gates
from journal.clock import now as database_now
from tenancy.models import AgentToken
from tests.world import World

SITUATIONS: dict[str, Callable[[World], object]] = {
    "as it was signed": lambda world: None,
    "an approver lost the role": lambda world: world.end_role("approver"),
    "the requester lost the role": lambda world: world.end_role("requester"),
    "the tool is stopped": lambda world: world.stop("tool", "ouvrir_revue_dossier"),
    "another version is active": lambda world: world.publish("ouvrir_revue_dossier-2", version="3"),
    "the token was revoked": lambda world: AgentToken.objects.update(revoked_at=database_now()),
}


def looked(held: Held) -> assessing.Look:
    """The target as it stands, seen before any transaction."""
    return assessing.look(held.contract, target=held.revision.target, scopes=[held.proposal.scope.code])


@pytest.mark.parametrize("situation", SITUATIONS)
def test_one_statement_under_lock_gathers_the_question_that_the_rooms_gather_one_by_one(
    world: World, situation: str
) -> None:
    intent = world.approved()
    SITUATIONS[situation](world)
    seen = glance(intent.pk)
    look = looked(seen)
    with transaction.atomic():
        held = hold_with_gates(seen)
        one_by_one = assessing.gather(
            stage=Stage.HANDOVER,
            revision=held.revision,
            contract=held.contract,
            arguments=held.arguments,
            look=look,
            authorization=held.authorization,
        )
        at_once = question_at_hand_over(held, look)
    assert replace(at_once, now=one_by_one.now) == one_by_one


def test_a_doubt_on_the_object_is_in_the_question_with_the_intent_that_holds_it(world: World) -> None:
    world.sandbox.fault("silence_after_effect", route="POST /review-requests", times=1)
    first, second = world.approved(), world.approved(session="another")
    world.hand_over(first)
    seen = glance(second.pk)
    look = looked(seen)
    with transaction.atomic():
        held = hold_with_gates(seen)
        assert question_at_hand_over(held, look).fence == first.public_id
