"""FF-36: a 2xx that is not success; confirmed only by the contract's own rules and our reference, never asked again."""

from typing import Any

from intents.models import Intent
from tests.world import World

PAGE = {"Content-Type": "text/html"}
HOLLOW: dict[str, dict[str, Any]] = {
    "an error in a 200": {"mode": "status", "status": 200, "body": {"status": "error"}},
    "errors of items": {"mode": "status", "status": 200, "body": {"ok": True, "errors": [{"item": 1}]}},
    "a 201 that says nothing": {"mode": "status", "status": 201, "body": {}},
    "a 201 with errors": {"mode": "status", "status": 201, "body": {"request_ref": "R-1", "errors": [{"item": 1}]}},
    "a page to sign in": {"mode": "html_login"},
    "an empty 200": {"mode": "empty_body", "status": 200, "effect": False},
    "an empty 201": {"mode": "empty_body", "status": 201, "effect": False},
    "an empty 201 with an address": {
        "mode": "empty_body",
        "effect": False,
        "headers": {"Location": "/review-requests/R-98"},
    },
    "a 204": {"mode": "empty_body", "status": 204, "effect": False},
    **{f"a {status}": {"mode": "redirect", "status": status} for status in (301, 302, 307, 308)},
}


def met(world: World, number: int, **fault: Any) -> Intent:
    ref = f"D-{3600 + number}"
    world.sandbox.put("dossiers", ref, version=7, state="active", establishment="A")
    world.sandbox.fault(**fault)
    return world.done(ref)


def test_a_2xx_or_a_redirect_that_proves_nothing_is_unknown_and_asked_once(world: World) -> None:
    for number, (name, fault) in enumerate(HOLLOW.items()):
        intent = met(world, number, **fault)
        assert (name, world.status(intent)) == (name, "outcome_unknown")
    assert len(world.sandbox.submissions()) == len(HOLLOW), "one POST each; no redirect was followed"
    assert world.sandbox.effects() == []
    world.sweep()
    assert len(world.sandbox.submissions()) == len(HOLLOW)


def test_an_empty_2xx_is_read_back_by_our_reference_and_never_posted_again(world: World) -> None:
    for number, status in enumerate((200, 201, 204)):
        intent = met(world, number, mode="empty_body", status=status)
        assert (status, world.status(intent), intent.confirmed_by) == (status, "confirmed", "confirmation")
    assert len(world.sandbox.submissions()) == len(world.sandbox.effects()) == 3


def test_valid_json_under_the_type_of_a_page_proves_nothing_by_itself(world: World) -> None:
    told = {"request_ref": "R-98", "dossier_ref": "D-42", "reason_code": "DONNEE_A_VERIFIER"}
    world.sandbox.fault("status", status=201, body=told, headers=PAGE)
    intent = world.done()
    assert (world.status(intent), intent.cause) == ("outcome_unknown", "unreadable_answer")


def test_a_well_made_answer_with_anothers_reference_or_none_proves_nothing(world: World) -> None:
    told = {"request_ref": "R-98", "dossier_ref": "D-42", "reason_code": "DONNEE_A_VERIFIER"}
    seen = {}
    for target, reference in (("D-42", {}), ("D-3690", {"client_ref": "5f1d7c0e-0000-4000-8000-57a26e57a26e"})):
        world.sandbox.put("dossiers", target, version=7, state="active", establishment="A")
        world.sandbox.fault("status", status=201, body={**told, "dossier_ref": target, **reference})
        intent = world.done(target)
        seen[intent.cause] = world.status(intent)
    assert seen == {"no_reference": "outcome_unknown", "foreign_reference": "outcome_unknown"}
