"""A process that ends, or loses its database, at any step: at most one effect, nothing lost, nothing falsely final."""

from pathlib import Path

import pytest

from intents import dispatching, opening, verifying
from intents.failpoints import Step
from intents.models import Intent
from tests.crash.apart import alone
from tests.intents.desk import lost_after_effect
from tests.world import World

BEFORE_MARK = (Step.TAKEN_UP, Step.OBSERVED, Step.LOCKED, Step.DECIDED, Step.BEFORE_MARK_COMMIT)
AFTER_MARK = (Step.MARK_COMMITTED, Step.MARKED)
AFTER_ANSWER = (Step.HANDED_OVER, Step.OUTCOME_LOCKED, Step.BEFORE_OUTCOME_COMMIT)
OPENING = (Step.BEFORE_OPENING_COMMIT, Step.OPENED)
PROBING = (Step.LOOKED_UP, Step.BEFORE_PROBE_COMMIT)
BESIDES = (Step.BEFORE_CALLBACK_COMMIT, Step.CANCELLATION_MARKED, Step.CANCELLATION_ANSWERED)  # see tests/crash


def test_every_step_of_a_hand_over_is_tried_here() -> None:
    tried = {*BEFORE_MARK, *AFTER_MARK, *AFTER_ANSWER, *OPENING, *PROBING, Step.OUTCOME_WRITTEN}
    assert tried == set(Step) - {*BESIDES}


def overdue(intent: Intent) -> None:
    """Time passes: whatever was being sent is past its deadline."""
    Intent.objects.filter(pk=intent.pk, state="sending").update(deadline="2020-01-01T00:00:00Z")


@pytest.mark.parametrize("step", BEFORE_MARK)
def test_killed_before_the_mark_it_is_sent_once_later(world: World, step: Step) -> None:
    intent = world.approved()
    assert alone(lambda: dispatching.hand_over(intent.pk, worker="victim"), failpoint=f"{step}:kill") == -9
    intent.refresh_from_db()
    assert (intent.state, intent.attempt, world.sandbox.submissions()) == ("ready", 0, [])
    world.sweep()
    assert world.hand_over(intent).state == "confirmed"
    assert len(world.sandbox.submissions()) == len(world.sandbox.effects()) == 1


@pytest.mark.parametrize("step", AFTER_MARK)
def test_killed_after_the_mark_it_is_unknown_and_never_sent_again(world: World, step: Step) -> None:
    intent = world.approved()
    assert alone(lambda: dispatching.hand_over(intent.pk, worker="victim"), failpoint=f"{step}:kill") == -9
    overdue(intent)
    world.sweep(2)
    world.hand_over(intent)
    assert (world.status(intent), world.sandbox.submissions()) == ("outcome_unknown", [])


@pytest.mark.parametrize("step", AFTER_ANSWER)
def test_killed_after_the_answer_it_is_unknown_until_a_probe_confirms(world: World, step: Step) -> None:
    intent = world.approved()
    assert alone(lambda: dispatching.hand_over(intent.pk, worker="victim"), failpoint=f"{step}:kill") == -9
    overdue(intent)
    world.sweep(2)
    assert world.status(intent) == "outcome_unknown"
    verifying.probe(intent.pk)
    assert world.status(intent) == "confirmed"
    assert len(world.sandbox.submissions()) == len(world.sandbox.effects()) == 1


def test_killed_after_the_outcome_was_written_it_is_confirmed(world: World) -> None:
    intent = world.approved()
    step = Step.OUTCOME_WRITTEN
    assert alone(lambda: dispatching.hand_over(intent.pk, worker="victim"), failpoint=f"{step}:kill") == -9
    world.hand_over(intent)
    assert (world.status(intent), len(world.sandbox.submissions())) == ("confirmed", 1)


@pytest.mark.parametrize("step", OPENING)
def test_killed_while_opening_the_intent_exists_once(world: World, step: Step) -> None:
    proposal = world.propose()
    world.sign(proposal)
    authorization = world.revision(proposal).authorizations.get()
    assert alone(lambda: opening.open_intent(authorization.pk), failpoint=f"{step}:kill") == -9
    world.sweep(2)
    assert Intent.objects.get().state == "ready"


@pytest.mark.parametrize("step", PROBING)
def test_killed_while_probing_the_next_probe_confirms(world: World, step: Step) -> None:
    intent = lost_after_effect(world)
    assert alone(lambda: verifying.probe(intent.pk), failpoint=f"{step}:kill") == -9
    assert world.status(intent) == "outcome_unknown"
    verifying.probe(intent.pk)
    assert world.status(intent) == "confirmed"


@pytest.mark.parametrize("step", [Step.OUTCOME_LOCKED, Step.BEFORE_OUTCOME_COMMIT, Step.OUTCOME_WRITTEN])
def test_a_connection_lost_while_writing_the_outcome_is_tried_again_and_written_once(
    world: World, step: Step, tmp_path: Path
) -> None:
    intent = world.approved()
    failpoint = f"{step}:raise:once={tmp_path}/once"
    alone(lambda: dispatching.hand_over(intent.pk, worker="w"), failpoint=failpoint)
    assert world.status(intent) == "confirmed"
    assert intent.evidence.count() == 1
    assert len(world.sandbox.submissions()) == 1


def test_a_connection_lost_before_the_mark_was_committed_sends_nothing(world: World) -> None:
    intent = world.approved()
    assert alone(lambda: dispatching.hand_over(intent.pk, worker="w"), failpoint="before_mark_commit:raise") == 3
    intent.refresh_from_db()
    assert (intent.state, world.sandbox.submissions()) == ("ready", [])


def test_a_commit_of_the_mark_whose_acknowledgement_was_lost_is_read_back_and_sent_once(world: World) -> None:
    intent = world.approved()
    assert alone(lambda: dispatching.hand_over(intent.pk, worker="w"), failpoint="mark_committed:raise") == 0
    assert (world.status(intent), len(world.sandbox.submissions())) == ("confirmed", 1)


def test_a_process_stopped_past_its_deadline_sends_nothing_when_it_goes_on(world: World) -> None:
    intent = world.approved()
    alone(lambda: dispatching.hand_over(intent.pk, worker="slow"), failpoint="marked:sleep=2.3")
    assert world.sandbox.submissions() == []
    intent.refresh_from_db()
    assert (intent.state, intent.waiting_on) == ("ready", "too_late")
