"""An object is let go by two people, with a reason; the order on it stays unknown, open, and is never sent again."""

import pytest

from intents import lifting, sweeping
from intents.caseload import NotAllowed, Outdated
from intents.models import Case, Intent, Lift
from tests.intents.desk import case_of, lost_without_effect, take
from tests.web.people import Person
from tests.world import World

WHY = "The business system was replaced on Friday."


def ask(world: World, intent: Intent, *, by: str = "support", why: str = WHY) -> Lift:
    return lifting.ask_to_lift(person=world.people[by], intent_id=intent.pk, version=case_of(intent).version, why=why)


def agree(world: World, intent: Intent, *, by: str = "support2") -> Lift:
    return lifting.lift(person=world.people[by], intent_id=intent.pk, version=case_of(intent).version)


def refused(code: str):
    return pytest.raises(NotAllowed, match=f"^{code}$")


def test_two_people_let_an_object_go_and_the_order_that_waited_is_sent(world: World) -> None:
    intent = lost_without_effect(world)
    second = world.propose(session="another")
    world.sign(second)
    waiting = world.hand_over(world.open(second))
    waiting.refresh_from_db()
    assert (waiting.state, waiting.waiting_on) == ("ready", intent.public_id)
    take(world, intent)
    ask(world, intent)
    assert Intent.objects.get(pk=intent.pk).fence_lifted_at is None
    agree(world, intent)
    world.hand_over(waiting)
    waiting.refresh_from_db()
    intent.refresh_from_db()
    assert (waiting.state, intent.state, intent.attempt) == ("confirmed", "unknown", 1)
    assert Case.objects.get(intent=intent).closed_at is None
    sweeping.sweep()
    assert len([one for one in world.sandbox.effects() if one["client_ref"] == str(intent.reference)]) == 0


def test_nobody_agrees_with_themselves_and_nothing_is_asked_twice_or_without_a_reason(world: World) -> None:
    intent = lost_without_effect(world)
    with refused("take_it_first"):
        ask(world, intent)
    take(world, intent)
    with refused("nothing_to_lift"):
        agree(world, intent)
    with refused("why_missing"):
        ask(world, intent, why=" ")
    ask(world, intent)
    with refused("lift_asked"):
        ask(world, intent)
    with refused("lift_yourself"):
        agree(world, intent, by="support")
    for outsider in ("approver", "requester", "support-b"):
        with refused("not_responsible"):
            agree(world, intent, by=outsider)
    with pytest.raises(Outdated):
        lifting.lift(person=world.people["support2"], intent_id=intent.pk, version=case_of(intent).version - 1)
    agree(world, intent)
    with refused("lifted"):
        ask(world, intent)


def test_it_is_asked_and_agreed_to_on_the_page_of_the_case(world: World) -> None:
    intent = lost_without_effect(world)
    take(world, intent)
    page = f"/reconciliation/{intent.public_id}/"
    owner, other = Person(world, "support"), Person(world, "support2")
    empty = owner.send(f"{page}lifts/", form=owner.form(page, "lift-form"), why="")
    assert empty.status_code == 422
    assert owner.send(f"{page}lifts/", form=owner.form(page, "lift-form"), why=WHY).status_code == 303
    assert "agree-form" not in owner.text(page)
    assert WHY in other.text(page)
    assert other.open(f"{page}lifts/").status_code == 405
    assert other.send(f"{page}lifts/", form=other.form(page, "agree-form")).status_code == 303
    assert "Two people let D-42 go" in owner.text(page)
