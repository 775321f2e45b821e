"""What differs is undone by an ordinary proposal: asked, signed, handed over past the fence, proven, and closed."""

import pytest

from approvals.refusals import Refusal
from intents import reconciling
from intents.models import Case, Intent
from journal.queries import entries_of
from tests.intents.desk import take
from tests.world import World


def diverged(world: World) -> tuple[Intent, str]:
    """An order whose effect differs from what was approved, and the business system's reference of that effect."""
    world.sandbox.fault("wrong_reason")
    intent = world.done()
    assert world.status(intent) == "diverged"
    (effect,) = world.sandbox.effects()
    return intent, str(effect["ref"])


@pytest.mark.parametrize("on_fence", ["wait", "refuse"])
def test_a_differing_effect_is_undone_and_its_case_closed_as_compensated(world: World, on_fence: str) -> None:
    world.publish("annuler_revue_dossier-1", version="2", execution={"on_fence": on_fence})
    intent, effect = diverged(world)
    other = world.propose(arguments={"dossier_ref": "D-42", "expected_version": 7, "reason_code": "PIECE_MANQUANTE"})
    world.sign(other)
    assert world.hand_over(world.open(other)).waiting == "fence", "others wait for the case"
    undo = world.propose(
        tool="annuler_revue_dossier",
        arguments={"dossier_ref": "D-42", "request_ref": effect},
        suggestion=f"Undoes {intent.public_id}: another reason was recorded than the approved one.",
    )
    world.sign(undo)
    assert world.hand_over(world.open(undo)).state == "confirmed"
    proof = world.standing(undo)
    assert proof.references["cancellation_ref"]
    case = take(world, intent)
    reconciling.close_divergence(
        person=world.people["support"],
        intent_id=intent.pk,
        version=case.version,
        how="compensated",
        words=f"Undone by {undo.public_id}, proven by {proof.references['cancellation_ref']}.",
    )
    closed = Case.objects.get(intent=intent)
    assert (closed.closed_how, closed.closed_at is not None) == ("compensated", True)
    told = world.standing(intent)
    assert (told.status, "undone by another operation" in told.statement) == ("diverged", True)
    kinds = [entry.kind for entry in entries_of(intent.revision.proposal.public_id)]
    assert kinds[-2:] == ["evidence.recorded", "case.closed"]


def test_only_the_declared_tool_that_names_the_effect_passes_a_case_that_refuses(world: World) -> None:
    world.publish("annuler_revue_dossier-1", version="2", execution={"on_fence": "refuse"})
    intent, _effect = diverged(world)
    with pytest.raises(Refusal) as caught:
        world.propose(tool="annuler_revue_dossier", arguments={"dossier_ref": "D-42", "request_ref": "R-99999"})
    assert (caught.value.code, intent.public_id in caught.value.detail) == ("object_fenced", True)


def test_an_outcome_that_is_unknown_is_undone_by_nobody(world: World) -> None:
    world.publish("annuler_revue_dossier-1", version="2", execution={"on_fence": "refuse"})
    world.sandbox.fault("drop_after_effect")
    world.done()
    (effect,) = world.sandbox.effects()
    with pytest.raises(Refusal) as caught:
        world.propose(tool="annuler_revue_dossier", arguments={"dossier_ref": "D-42", "request_ref": effect["ref"]})
    assert caught.value.code == "object_fenced"
