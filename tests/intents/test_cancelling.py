"""A cancellation is sent once, where it is offered and there is something to name; its answer moves nothing."""

import time
from typing import Any

import pytest

from intents import cancelling, stopping, sweeping, verifying
from intents.models import Cancellation, Evidence, Intent
from tenancy.models import RoleGrant
from tests.crash.apart import alone
from tests.intents.desk import lost_after_effect, lost_without_effect
from tests.world import World

ROUTE = "POST /review-requests/{ref}/cancellation"


def ask(world: World, intent: Intent, *, by: str = "approver") -> None:
    """A person asks for a cancellation."""
    proposal = intent.revision.proposal_id
    stopping.request_cancellation(person=world.people[by], proposal_id=proposal, reason="OTHER", words="Stop it.")


def sent(world: World) -> list[dict[str, Any]]:
    """The requests for a cancellation that arrived."""
    return [request for request in world.sandbox.submissions() if request["path"].endswith("/cancellation")]


def asked_then_shown(world: World) -> Intent:
    """Asked for while the outcome was unknown; then a look showed the effect."""
    intent = lost_after_effect(world)
    ask(world, intent)
    assert cancelling.cancel(intent.pk, worker="w") == "nothing_to_name"
    verifying.probe(intent.pk)
    return intent


def test_it_is_sent_once_when_the_effect_was_shown_and_the_words_say_exactly_that(world: World) -> None:
    intent = asked_then_shown(world)
    assert sent(world) == []
    assert [cancelling.cancel(intent.pk, worker="w") for _ in range(3)] == ["cancelled", *["nothing_asked"] * 2]
    assert len(sent(world)) == 1
    told = world.standing(intent)
    assert told.status == "confirmed"
    assert told.statement.endswith("A cancellation was sent afterwards, and the business system says it cancelled it.")
    assert Evidence.objects.get(source="cancellation").verdict == "nothing"


@pytest.mark.parametrize(
    ("fault", "more", "result", "words"),
    [
        ("status", {"status": 409, "effect": False, "body": {"error": "too_late"}}, "refused", "refused to cancel"),
        ("drop_after_effect", {}, "no_answer", "it is not known whether it was cancelled"),
        ("status", {"status": 500, "effect": False}, "no_answer", "it is not known whether it was cancelled"),
        ("other_reference", {}, "no_answer", "it is not known whether it was cancelled"),
    ],
)
def test_it_is_never_repeated_whatever_comes_back(
    world: World, fault: str, more: dict[str, Any], result: str, words: str
) -> None:
    intent = asked_then_shown(world)
    world.sandbox.fault(fault, route=ROUTE, **more)
    assert cancelling.cancel(intent.pk, worker="w") == result
    sweeping.sweep()
    assert cancelling.cancel(intent.pk, worker="another") == "nothing_asked"
    assert len(sent(world)) == 1
    assert words in world.standing(intent).statement
    assert world.status(intent) == "confirmed"


def test_a_worker_killed_after_the_mark_sent_at_most_one_and_it_is_told_as_not_known(world: World) -> None:
    intent = asked_then_shown(world)
    assert alone(lambda: cancelling.cancel(intent.pk, worker="victim"), failpoint="cancellation_marked:kill") == -9
    row = Cancellation.objects.get()
    assert (row.result, sent(world)) == ("open", [])
    time.sleep(2.1)  # the attempt deadline of the tests' systems
    sweeping.sweep()
    row.refresh_from_db()
    assert (row.result, row.fault) == ("no_answer", "deadline")
    assert cancelling.cancel(intent.pk, worker="w") == "nothing_asked"
    assert sent(world) == []


def test_nothing_is_sent_where_the_order_had_no_effect_or_whoever_asked_may_not_any_more(world: World) -> None:
    intent = asked_then_shown(world)
    RoleGrant.objects.filter(person=world.people["approver"]).update(ended_at="2020-01-01T00:00:00Z")
    assert cancelling.cancel(intent.pk, worker="w") == "needless"
    assert sent(world) == []
    assert "nothing was sent for it" in world.standing(intent).statement


def test_the_wish_alone_is_told_where_the_business_system_offers_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    intent = lost_without_effect(world)
    monkeypatch.setattr(cancelling, "offered", lambda held: False)
    ask(world, intent)
    assert not Cancellation.objects.exists()
    assert "takes no such order back" in world.standing(intent).statement
