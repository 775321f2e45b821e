"""A person establishes what nobody knew, with evidence, and never causes a second effect."""

import pytest

from intents import caseboard, queries, reconciling, verifying
from intents.models import Case, Conclusion, Evidence, Intent
from journal.recording import Actor
from tests.intents.desk import (
    RIGHT,
    absence_means_something,
    case_of,
    conclude,
    lost_after_effect,
    lost_without_effect,
    search_shows_no_number,
    take,
)
from tests.world import World


def test_an_unknown_has_a_case_with_the_role_that_is_responsible(world: World) -> None:
    intent = lost_after_effect(world)
    assert (case_of(intent).kind, case_of(intent).role) == ("unknown", "support")
    assert world.standing(intent).responsible == {"role": "support", "person": None}
    take(world, intent)
    assert world.standing(intent).responsible == {"role": "support", "person": "Support"}


@pytest.mark.parametrize("by", ["support-b", "approver", "requester", "stranger"])
def test_only_the_role_in_that_scope_takes_a_case(world: World, by: str) -> None:
    intent = lost_after_effect(world)
    with pytest.raises(reconciling.NotAllowed) as refused:
        take(world, intent, by=by)
    assert refused.value.code == "not_responsible"
    with pytest.raises(Intent.DoesNotExist):
        queries.case(world.people[by], intent.public_id)


def test_taking_over_asks_why_and_an_act_on_an_older_page_is_refused(world: World) -> None:
    intent = lost_after_effect(world)
    seen = case_of(intent).version
    take(world, intent)
    with pytest.raises(reconciling.NotAllowed) as refused:
        take(world, intent, by="support2")
    assert refused.value.code == "why_missing"
    take(world, intent, by="support2", why="On leave.")
    with pytest.raises(reconciling.Outdated):
        reconciling.take(person=world.people["support"], intent_id=intent.pk, version=seen, why="Back.")


def test_what_happened_is_confirmed_by_a_person_who_enters_every_field(world: World) -> None:
    intent = lost_after_effect(world)
    (effect,) = world.sandbox.effects()
    take(world, intent)
    conclude(world, intent, "happened", fields={**RIGHT, "request_ref": effect["ref"]})
    intent.refresh_from_db()
    assert (intent.state, intent.confirmed_by) == ("confirmed", "person")
    assert "Established by support" in world.standing(intent).statement
    assert not Case.objects.filter(closed_at__isnull=True).exists()
    assert len(world.sandbox.submissions()) == 1


@pytest.mark.parametrize(
    ("fields", "code", "where"),
    [
        ({"dossier_ref": "D-42"}, "fields_missing", {"request_ref", "reason_code"}),
        ({**RIGHT, "request_ref": "R-1", "dossier_ref": "D-43"}, "fields_differ", {"dossier_ref"}),
        ({**RIGHT, "request_ref": "R-99999"}, "search_differs", {"request_ref"}),
    ],
)
def test_what_is_entered_is_checked_by_the_contracts_rules_and_by_what_the_system_shows(
    world: World, fields: dict[str, str], code: str, where: set[str]
) -> None:
    intent = lost_after_effect(world)
    take(world, intent)
    with pytest.raises(reconciling.NotAllowed) as refused:
        conclude(world, intent, "happened", fields=fields)
    assert (refused.value.code, set(refused.value.fields)) == (code, where)
    assert world.status(intent) == "outcome_unknown"


def test_happened_is_refused_once_the_absence_of_the_effect_means_something(world: World) -> None:
    intent = lost_without_effect(world)
    take(world, intent)
    with pytest.raises(reconciling.NotAllowed) as refused:
        conclude(world, intent, "happened", fields={**RIGHT, "request_ref": "R-1"})
    assert refused.value.code == "search_empty"


def test_did_not_happen_is_not_available_before_absence_means_something(world: World) -> None:
    world.sandbox.fault("drop_before_effect")
    intent = world.done()
    take(world, intent)
    with pytest.raises(reconciling.NotAllowed) as refused:
        conclude(world, intent, "did_not_happen", then="close")
    assert refused.value.code == "too_early"
    assert refused.value.until is not None
    assert queries.case(world.people["support"], intent.public_id).acts.did_not_happen == "too_early"


def test_did_not_happen_and_close_ends_it_as_not_executed_and_frees_the_object(world: World) -> None:
    intent = lost_without_effect(world)
    other = world.approved(arguments={"dossier_ref": "D-42", "expected_version": 7, "reason_code": "PIECE_MANQUANTE"})
    assert world.hand_over(other).waiting == "fence"
    take(world, intent)
    conclude(world, intent, "did_not_happen", then="close")
    assert world.status(intent) == "not_executed"
    assert world.hand_over(other).state == "confirmed"


def test_did_not_happen_is_overtaken_by_an_effect_that_the_search_shows(world: World) -> None:
    intent = lost_after_effect(world)
    absence_means_something(intent)
    take(world, intent)
    with pytest.raises(reconciling.Overtaken):
        conclude(world, intent, "did_not_happen", then="close")
    intent.refresh_from_db()
    assert (intent.state, intent.confirmed_by) == ("confirmed", "probe")


def test_did_not_happen_is_not_concluded_while_the_search_fails(world: World) -> None:
    intent = lost_without_effect(world)
    take(world, intent)
    world.sandbox.fault("status", route="GET /review-requests", times=None, status=503, effect=False)
    with pytest.raises(reconciling.NotAllowed) as refused:
        conclude(world, intent, "did_not_happen", then="close")
    assert refused.value.code == "search_failed"


def test_still_unknown_stays_unknown_with_what_was_tried(world: World) -> None:
    intent = lost_after_effect(world)
    take(world, intent)
    conclude(world, intent, "still_unknown")
    assert world.status(intent) == "outcome_unknown"
    assert Conclusion.objects.get().finding == "still_unknown"
    assert case_of(intent).owner == world.people["support"]


def test_where_the_contract_asks_for_two_a_conclusion_waits_for_another_person(world: World) -> None:
    world.publish("ouvrir_revue_dossier-2", version="3", reconciliation={"second_person": True})
    intent = lost_without_effect(world)
    take(world, intent)
    conclude(world, intent, "did_not_happen", then="close")
    assert world.status(intent) == "outcome_unknown"
    with pytest.raises(reconciling.NotAllowed) as refused:
        reconciling.second(person=world.people["support"], intent_id=intent.pk, version=case_of(intent).version)
    assert refused.value.code == "second_yourself"
    reconciling.second(person=world.people["support2"], intent_id=intent.pk, version=case_of(intent).version)
    assert world.status(intent) == "not_executed"
    assert Conclusion.objects.get().seconded_by == world.people["support2"]


def test_recorded_evidence_stands_with_the_case_and_concludes_nothing(world: World) -> None:
    intent = lost_after_effect(world)
    take(world, intent)
    reconciling.record_evidence(
        person=world.people["support"],
        intent_id=intent.pk,
        version=case_of(intent).version,
        words="The team says it is there.",
        link="https://reviews.example/R-1",
    )
    assert world.status(intent) == "outcome_unknown"
    assert Evidence.objects.get(source="person").words == "The team says it is there."


def test_a_person_may_look_at_any_time_but_not_twice_within_two_seconds(world: World) -> None:
    intent = lost_without_effect(world)
    person = world.people["support"]
    verifying.probe(intent.pk, actor=Actor.person(person), by_person=person)
    with pytest.raises(verifying.NotNow):
        verifying.probe(intent.pk, actor=Actor.person(person), by_person=person)
    assert Evidence.objects.filter(source="probe").count() == 1


def test_two_people_who_conclude_at_once_give_one_conclusion_and_one_outdated(world: World) -> None:
    intent = lost_without_effect(world)
    take(world, intent)
    seen = case_of(intent).version
    conclude(world, intent, "still_unknown")
    with pytest.raises(reconciling.Outdated):
        reconciling.conclude(
            person=world.people["support"],
            intent_id=intent.pk,
            version=seen,
            finding="did_not_happen",
            then="close",
            reason="SEARCHED_NOT_FOUND",
            words="x",
        )


def test_the_desk_lists_open_cases_to_those_who_hold_the_role_there(world: World) -> None:
    intent = lost_after_effect(world)
    assert [row.intent for row in caseboard.desk(world.people["support"])] == [intent]
    for outsider in ("support-b", "stranger", "approver"):
        assert caseboard.desk(world.people[outsider]) == []
    view = queries.case(world.people["support"], intent.public_id)
    assert {field.name: field.expected for field in view.fields} == {**RIGHT, "request_ref": None}
    assert view.absence_left.total_seconds() > 0
    assert (view.acts.take, view.acts.work, view.acts.probe) == ("", "take_it_first", "")


def test_did_not_happen_is_not_concluded_while_the_search_shows_an_effect_without_its_number(world: World) -> None:
    intent = lost_without_effect(world)
    take(world, intent)
    search_shows_no_number(world, intent)
    with pytest.raises(reconciling.NotAllowed) as refused:
        conclude(world, intent, "did_not_happen", then="close")
    assert refused.value.code == "search_differs"
    assert world.status(intent) == "outcome_unknown"


def test_a_second_person_does_not_second_what_the_search_stands_against(world: World) -> None:
    world.publish("ouvrir_revue_dossier-2", version="3", reconciliation={"second_person": True})
    intent = lost_without_effect(world)
    take(world, intent)
    conclude(world, intent, "did_not_happen", then="close")
    search_shows_no_number(world, intent)
    with pytest.raises(reconciling.NotAllowed) as refused:
        reconciling.second(person=world.people["support2"], intent_id=intent.pk, version=case_of(intent).version)
    assert refused.value.code == "search_differs"
    assert world.status(intent) == "outcome_unknown"


def test_an_amount_that_a_person_types_is_compared_as_the_number_it_spells(world: World) -> None:
    world.sandbox.fault("drop_after_effect", route="POST /refunds")
    proposal = world.refund()
    for person in ("approver", "approver2"):
        world.sign(proposal, by=person)
    intent = world.hand_over(world.open(proposal))
    (effect,) = world.sandbox.effects()
    take(world, intent)
    right = {"refund_ref": effect["ref"], "order_id": "ORD-000123", "currency": "EUR"}
    with pytest.raises(reconciling.NotAllowed) as refused:
        conclude(world, intent, "happened", fields={**right, "amount_minor": "1251"})
    assert set(refused.value.fields) == {"amount_minor"}
    conclude(world, intent, "happened", fields={**right, "amount_minor": "1250"})
    reconciling.second(person=world.people["support2"], intent_id=intent.pk, version=case_of(intent).version)
    assert world.status(intent) == "confirmed"
