"""FF-41: late and out-of-order news never overwrites a final state; contradictions are told and raise a case."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from intents.models import Case, Evidence, Intent
from journal.queries import entries_of
from tests.calling_back import configured, post, told
from tests.intents.desk import RIGHT, conclude, lost_after_effect, take
from tests.world import World


@pytest.fixture(autouse=True)
def calling_back(world: World, tmp_path: Path) -> Iterator[None]:
    """The review desk calls back."""
    with configured(tmp_path):
        yield


def settled_by_support(world: World) -> Intent:
    """Unknown; then a person concluded that it happened, with evidence."""
    intent = lost_after_effect(world)
    take(world, intent)
    (effect,) = world.sandbox.effects()
    conclude(world, intent, "happened", fields={**RIGHT, "request_ref": effect["ref"]})
    assert world.status(intent) == "confirmed"
    return intent


def test_a_confirmed_order_stays_so_whatever_is_told_afterwards(world: World) -> None:
    intent = settled_by_support(world)
    assert post(told(intent, "review_request.expired", at=-60)).status_code == 204
    assert Evidence.objects.latest("pk").because == "overtaken", "it was so before the effect was seen"
    assert not Case.objects.filter(closed_at__isnull=True).exists()
    assert post(told(intent, "review_request.expired", at=1)).status_code == 204
    case = Case.objects.get(closed_at__isnull=True)
    assert (case.kind, case.cause) == ("diverged", "found_on_confirmed")
    assert post(told(intent, "review_request.expired", at=-30)).status_code == 204
    assert [post(told(intent), event="twice").status_code for _ in range(2)] == [204, 204]
    assert world.status(intent) == "confirmed"
    assert Case.objects.filter(closed_at__isnull=True).count() == 1
    kinds = [entry.kind for entry in entries_of(intent.revision.proposal.public_id)]
    assert kinds.count("outcome.confirmed") == 1
    assert kinds.count("evidence.recorded") >= 4


def test_an_effect_told_of_what_was_settled_as_refused_opens_a_case_and_the_refusal_stands(world: World) -> None:
    body = {"error": "invalid", "fields": ["reason_code"]}
    world.sandbox.fault("status", status=422, effect=False, body=body)
    intent = world.done()
    assert world.status(intent) == "refused_by_target"
    post(told(intent))
    intent.refresh_from_db()
    assert (intent.state, world.status(intent)) == ("refused", "diverged")
    assert Case.objects.get().cause == "found_on_refused"


def test_of_two_messages_the_older_refusal_counts_for_nothing_in_either_order(world: World) -> None:
    world.sandbox.fault("accept_202_never")
    intent = world.done()
    post(told(intent, "review_request.received", at=-1))
    post(told(intent, "review_request.expired", at=-30))
    assert (world.status(intent), Evidence.objects.latest("pk").because) == ("accepted_by_target", "overtaken")


def test_what_another_organization_signs_about_it_is_not_heard(world: World) -> None:
    intent = lost_after_effect(world)
    assert post(told(intent), signer="other").status_code == 404
    assert (world.status(intent), Evidence.objects.filter(source="callback").exists()) == ("outcome_unknown", False)
