"""FF-40: a search says "not found", then it appears: an early empty answer is no proof, and nothing is sent again."""

from typing import Any

import pytest

from intents import verifying
from intents.caseload import NotAllowed
from intents.models import Case, Evidence, Intent
from tests.intents.desk import conclude, lost_after_effect, take
from tests.world import World

READS = "GET /review-requests"
RIGHT = {"request_ref": "R-98", "dossier_ref": "D-42", "reason_code": "DONNEE_A_VERIFIER"}


def shows(world: World, *items: dict[str, Any], next_page: str | None = None) -> None:
    """The next search shows these."""
    body = {"items": list(items), "next": next_page}
    world.sandbox.fault("status", route=READS, status=200, effect=False, body=body)


def ours(intent: Intent, **changes: Any) -> dict[str, Any]:
    """An effect that carries our reference."""
    return {**RIGHT, "client_ref": str(intent.reference), **changes}


def test_an_empty_search_before_the_effect_is_visible_proves_nothing_and_offers_no_new_attempt(world: World) -> None:
    intent = lost_after_effect(world)
    shows(world)
    verifying.probe(intent.pk)
    Intent.objects.filter(pk=intent.pk).update(absence_meaningful_at="2099-01-01T00:00:00Z")
    shows(world)  # whoever concludes looks first
    take(world, intent)
    with pytest.raises(NotAllowed) as refused:
        conclude(world, intent, "did_not_happen", then="new_attempt")
    assert refused.value.code == "too_early"
    assert world.status(intent) == "outcome_unknown"
    verifying.probe(intent.pk)
    assert world.status(intent) == "confirmed"
    assert len(world.sandbox.submissions()) == 1


def test_two_hits_with_our_reference_are_a_flagged_duplicate(world: World) -> None:
    intent = lost_after_effect(world)
    shows(world, ours(intent), ours(intent, request_ref="R-99"))
    verifying.probe(intent.pk)
    assert (world.status(intent), Case.objects.get(closed_at__isnull=True).kind) == ("diverged", "diverged")
    assert len(Evidence.objects.get(verdict="contradicts").fields["effects"]) == 2


def test_a_hit_with_other_arguments_diverges_and_one_whose_reference_only_begins_alike_is_none(world: World) -> None:
    intent = lost_after_effect(world)
    shows(world, ours(intent, client_ref=f"{intent.reference}0"), ours(intent, client_ref=str(intent.reference)[:-1]))
    verifying.probe(intent.pk)
    assert world.status(intent) == "outcome_unknown"
    shows(world, ours(intent, dossier_ref="D-43"))
    verifying.probe(intent.pk)
    assert world.status(intent) == "diverged"


def test_a_hit_on_the_second_page_only_confirms(world: World) -> None:
    intent = lost_after_effect(world)
    following = f"/review-requests?client_ref={intent.reference}&page_size=50"
    shows(world, ours(intent, client_ref="7c1d0f9e-52b4-4a7e-9a65-0d2b6a6f1c45"), next_page=following)
    verifying.probe(intent.pk)
    assert world.status(intent) == "confirmed"


def test_a_search_that_fails_says_nothing_and_the_budget_ends_at_the_named_role(world: World) -> None:
    intent = lost_after_effect(world)
    world.sandbox.fault("status", route=READS, times=None, status=500, effect=False)
    for _ in range(4):
        verifying.probe(intent.pk)
    intent.refresh_from_db()
    case = Case.objects.get()
    assert (intent.state, intent.probes_made, intent.next_probe_at) == ("unknown", 3, None)
    assert (case.role, case.escalated_at is not None) == ("support", True)
