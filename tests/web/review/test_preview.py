"""Approvers see what the business system says an order would do, as things stand now; asking changes nothing."""

import re

from tests.web.people import Person
from tests.world import World


def test_an_approver_sees_what_the_order_would_do_and_how_the_target_stands_now(world: World) -> None:
    case = f"/proposals/{world.propose('D-42').public_id}/"
    approver = Person(world, "approver")
    offered = approver.text(f"{case}check/")
    assert f'hx-get="{case}preview/" hx-trigger="load"' in offered
    assert f'href="{case}preview/"' in approver.text(case)
    told = approver.text(f"{case}preview/")
    for words in (
        "A review may be opened",
        "yes",
        "Reviews it has already",
        "version 7",
        "your signature does not bind it",
    ):
        assert words in told
    assert re.search(r"Reviews it has already</dt><dd>0<", told), "a number 0 is not a no"
    assert "has changed since this was prepared" not in told
    assert (world.sandbox.submissions(), previews(world)) == ([], 1)

    world.sandbox.put("dossiers", "D-42", version=8, state="closed", establishment="A")
    told = approver.text(f"{case}preview/")
    assert "It was version 7; it is version 8 now." in told
    assert "<strong>no</strong>" in told

    world.sandbox.put("dossiers", "D-42", version=9, state="active", establishment="B", label="Secret of B")
    asked = previews(world)
    told = approver.text(f"{case}preview/")
    assert "not available in this scope any more" in told
    assert "Secret of B" not in told
    assert previews(world) == asked, "what has left the scope is not asked about"


def previews(world: World) -> int:
    """How often the business system was asked what would happen."""
    return sum(request["path"].startswith("/previews/") for request in world.sandbox.requests())


def test_only_who_may_decide_it_makes_the_house_ask(world: World) -> None:
    case = f"/proposals/{world.propose('D-42').public_id}/"
    seen = len(world.sandbox.requests())
    for name in ("requester", "owner"):
        assert "preview" not in Person(world, name).text(case)
        assert Person(world, name).open(f"{case}preview/")["Location"] == case
    assert Person(world, "stranger").open(f"{case}preview/").status_code == 404
    assert len(world.sandbox.requests()) == seen


def test_a_silent_business_system_is_said_to_be_silent(world: World) -> None:
    case = f"/proposals/{world.propose('D-42').public_id}/"
    world.sandbox.fault("status", route="GET /dossiers/D-42", status=503)
    answer = Person(world, "approver").open(f"{case}preview/")
    assert answer.status_code == 200
    assert "does not show the target at the moment" in answer.content.decode()
