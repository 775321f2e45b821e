"""How far a proof reaches: each rung by its own source."""

from intents.caseboard import desk
from intents.ladder import Rung, highest
from intents.queries import case, ladder
from tests.intents.desk import lost_without_effect
from tests.web.api.calling import Agent
from tests.world import World


def reached(world: World, intent: object) -> dict[str, str]:
    """The source of every rung that was reached."""
    return {step.rung.value: step.source for step in ladder(intent) if step.at}  # type: ignore[arg-type]  # an Intent


def test_an_answer_that_proves_reaches_every_rung_by_itself(world: World) -> None:
    by = {"accepted": "answer", "observed": "answer", "verified": "answer"}
    assert reached(world, world.done()) == {"handed_over": "", **by}


def test_what_the_sender_says_and_what_was_read_back_are_two_sources(world: World) -> None:
    world.sandbox.fault("accept_202_then_effect", seconds=0)
    world.sandbox.fault("delay", route="GET /review-requests", seconds=0.3)
    intent = world.done()
    assert intent.confirmed_by == "confirmation"
    by = {"accepted": "answer", "observed": "confirmation", "verified": "confirmation"}
    assert reached(world, intent) == {"handed_over": "", **by}


def test_an_empty_answer_says_nothing_and_the_effect_is_read_back(world: World) -> None:
    world.sandbox.fault("empty_body")
    intent = world.done()
    assert reached(world, intent) == {"handed_over": "", "observed": "confirmation", "verified": "confirmation"}
    assert len(world.sandbox.submissions()) == len(world.sandbox.effects()) == 1


def test_another_effect_is_observed_and_never_verified(world: World) -> None:
    world.sandbox.fault("wrong_target")
    intent = world.done()
    assert [(step.rung, step.contradicted) for step in ladder(intent) if step.at] == [
        (Rung.HANDED_OVER, False),
        (Rung.ACCEPTED, True),
        (Rung.OBSERVED, True),
    ]


def test_support_and_the_agent_read_the_same_rungs_and_every_observation(world: World) -> None:
    intent = lost_without_effect(world)
    view = case(world.people["support"], intent.public_id)
    assert highest(view.ladder) is Rung.HANDED_OVER
    assert [row.rung for row in desk(world.people["support"])] == ["handed_over"]
    proof = Agent(world.secrets["agent-a"]).get(f"/proposals/{intent.revision.proposal.public_id}").body["proof"]
    assert proof["handed_over"]["at"].endswith("Z")
    assert (proof["accepted"], proof["verified"], proof["observations"]) == (None, None, [])


def test_a_confirmed_order_shows_its_observations_with_source_time_digest_and_rules(world: World) -> None:
    intent = world.done()
    proof = Agent(world.secrets["agent-a"]).get(f"/proposals/{intent.revision.proposal.public_id}").body["proof"]
    (seen,) = proof["observations"]
    assert (seen["source"], seen["verdict"], seen["because"]) == ("answer", "proves", "proven")
    assert seen["digest"].startswith("sha256:")
    assert {rule["verdict"] for rule in seen["rules"]} == {"holds"}
    assert proof["verified"]["observed_at"] <= proof["verified"]["at"]
