"""Who holds an object: an outcome in doubt makes others wait, or refuses them where the contract says so."""

import pytest

from approvals import fencing
from approvals.refusals import Refusal
from intents.states import FENCING
from tests.world import World


def test_the_states_that_fence_are_those_of_the_intent_machine() -> None:
    assert set(fencing.FENCING) == {state.value for state in FENCING}


def test_an_unknown_outcome_holds_its_object_and_no_other(world: World) -> None:
    world.sandbox.fault("drop_before_effect")
    intent = world.done()
    assert intent.state == "unknown"
    held = {"organization": world.demo, "system": "reviews"}
    assert fencing.holder(**held, target="D-42") == intent.public_id
    assert fencing.holder(**held, target="D-42", apart_from=intent.revision_id) is None
    assert fencing.holder(**held, target="D-43") is None
    assert fencing.holder(organization=world.other, system="reviews", target="D-42") is None


def test_a_contract_may_refuse_rather_than_wait(world: World) -> None:
    world.sandbox.fault("drop_before_effect")
    intent = world.done()
    assert world.propose().state == "awaiting_approval"
    world.publish("ouvrir_revue_dossier-2", version="3", execution={"on_fence": "refuse"})
    with pytest.raises(Refusal) as caught:
        world.propose()
    assert (caught.value.code, caught.value.status) == ("object_fenced", 409)
    assert intent.public_id in caught.value.detail
