"""FF-35: 202 is not done; it is pending, then unknown at a stated deadline, and never confirmed from 202 alone."""

from typing import Any

import pytest

from intents import verifying
from intents.models import Case, Intent
from tests.processes import until
from tests.world import World

OUTCOME = {"policy": {"outcome_within": "PT1S"}}


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"body": {"status": "pending"}},
        {"body": {"status": "done"}, "headers": {"Location": "http://other.example/status/1"}},
        {"body": {"status_url": "http://169.254.169.254/latest"}},
    ],
    ids=["says nothing", "pending for ever", "sends to another host", "names an inner address"],
)
def test_an_acceptance_waits_then_is_unknown_whatever_address_it_names(world: World, answer: dict[str, Any]) -> None:
    world.publish("ouvrir_revue_dossier-2", version="3", **OUTCOME)
    world.sandbox.fault("status", status=202, effect=False, **answer)
    intent = world.done()
    assert world.status(intent) == "accepted_by_target"
    before = len(world.sandbox.requests())
    verifying.probe(intent.pk)
    assert len(world.sandbox.requests()) == before + 1, "a look by our reference, and nothing that was named"
    Intent.objects.filter(pk=intent.pk).update(deadline="2020-01-01T00:00:00Z")
    world.sweep()
    assert world.status(intent) == "outcome_unknown"
    assert Case.objects.get().cause == "outcome_deadline"
    assert len(world.sandbox.submissions()) == 1


def test_what_was_accepted_and_done_is_confirmed_by_a_look_and_not_by_its_202(world: World) -> None:
    world.sandbox.fault("accept_202_then_effect", seconds=0.5)
    intent = world.done()
    assert world.status(intent) == "accepted_by_target"
    until(world.sandbox.effects)
    verifying.probe(intent.pk)
    intent.refresh_from_db()
    assert (intent.state, intent.confirmed_by) == ("confirmed", "probe")
