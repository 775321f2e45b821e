"""What people do at the desk, in one line each."""

from typing import Any

from intents import reconciling
from intents.models import Case, Conclusion, Intent
from tests.world import World

RIGHT = {"dossier_ref": "D-42", "reason_code": "DONNEE_A_VERIFIER"}


def case_of(intent: Intent) -> Case:
    """The open case."""
    return Case.objects.get(intent=intent, closed_at__isnull=True)


def take(world: World, intent: Intent, *, by: str = "support", why: str = "") -> Case:
    """A person takes the case."""
    version = case_of(intent).version
    return reconciling.take(person=world.people[by], intent_id=intent.pk, version=version, why=why)


def conclude(world: World, intent: Intent, finding: str, *, by: str = "support", **more: Any) -> Conclusion:
    """The owner concludes, on the case as it stands."""
    reasons = {
        "happened": "SEEN_IN_BUSINESS_SYSTEM",
        "did_not_happen": "SEARCHED_NOT_FOUND",
        "still_unknown": "CANNOT_SEARCH",
    }
    given = {"reason": reasons[finding], "words": "Looked for it.", **more}
    return reconciling.conclude(
        person=world.people[by], intent_id=intent.pk, version=case_of(intent).version, finding=finding, **given
    )


def absence_means_something(intent: Intent) -> None:
    """The deadline and the visibility delay are over."""
    Intent.objects.filter(pk=intent.pk).update(absence_meaningful_at="2020-01-01T00:00:00Z")


def lost_without_effect(world: World, **more: Any) -> Intent:
    """Handed over; the business system did nothing and answered nothing; its absence means something."""
    world.sandbox.fault("drop_before_effect")
    intent = world.done(**more)
    absence_means_something(intent)
    return intent


def search_shows_no_number(world: World, intent: Intent) -> None:
    """From now on a search by the intent's reference shows an effect whose number is not there yet."""
    item = {**RIGHT, "client_ref": str(intent.reference)}
    body = {"items": [item], "next": None}
    world.sandbox.fault("status", route="GET /review-requests", times=None, status=200, effect=False, body=body)


def lost_after_effect(world: World, **more: Any) -> Intent:
    """Handed over; the effect took place, and the answer was lost."""
    world.sandbox.fault("drop_after_effect")
    return world.done(**more)
