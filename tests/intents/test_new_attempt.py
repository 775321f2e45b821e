"""Once delivery was possible, a new attempt exists only after *did not happen*, freshly signed by others."""

import json
import time

import pytest

from approvals import deciding
from approvals.models import Authorization
from approvals.refusals import Refusal
from intents import reconciling, stopping, verifying
from intents.models import Attempt, Case, Intent
from intents.stopping import TooLate
from journal.recording import Actor
from proposals.models import Revision
from tests.intents.desk import case_of, conclude, lost_without_effect, search_shows_no_number, take
from tests.world import World


@pytest.fixture
def reopened(world: World) -> Intent:
    """A first attempt that people established had no effect."""
    intent = lost_without_effect(world)
    take(world, intent)
    conclude(world, intent, "did_not_happen", then="new_attempt")
    intent.refresh_from_db()
    return intent


def sign_again(world: World, intent: Intent, *, by: str = "approver") -> None:
    """A person signs the new attempt."""
    shown = Revision.objects.get(pk=intent.revision_id)
    deciding.sign(
        person=world.people[by], proposal_id=shown.proposal_id, revision=shown.number, digest=shown.digest, round=2
    )


def test_a_reopened_intent_awaits_signatures_and_keeps_its_object(world: World, reopened: Intent) -> None:
    assert reopened.state == "reopened"
    standing = world.standing(reopened)
    assert standing.status == "awaiting_approval"
    assert "People established" in standing.statement
    other = world.approved(arguments={"dossier_ref": "D-42", "expected_version": 7, "reason_code": "PIECE_MANQUANTE"})
    assert world.hand_over(other).waiting_on == reopened.public_id


def test_a_new_attempt_is_sent_once_with_the_same_reference_and_the_same_bytes(world: World, reopened: Intent) -> None:
    sign_again(world, reopened)
    intent = world.hand_over(world.open(reopened.revision.proposal))
    assert (intent.pk, intent.state, intent.attempt) == (reopened.pk, "confirmed", 2)
    first, second = Attempt.objects.order_by("number")
    assert first.digest == second.digest
    assert first.authorization_id != second.authorization_id
    (effect,) = world.sandbox.effects()
    assert effect["client_ref"] == str(intent.reference)
    assert len(world.sandbox.submissions()) == 2


def test_who_concluded_does_not_sign_the_new_attempt(world: World) -> None:
    from tenancy.models import RoleGrant

    RoleGrant.objects.create(
        organization=world.demo, scope=world.scopes["A"], person=world.people["support"], role="review_lead"
    )
    intent = lost_without_effect(world)
    take(world, intent)
    conclude(world, intent, "did_not_happen", then="new_attempt")
    with pytest.raises(deciding.NotAllowed) as refused:
        sign_again(world, intent, by="support")
    assert refused.value.code == "excluded"


def test_an_effect_of_the_first_attempt_found_before_the_second_is_evidence_and_nothing_is_sent(
    world: World, reopened: Intent
) -> None:
    sign_again(world, reopened)
    intent = world.open(reopened.revision.proposal)
    first = world.sandbox.submissions()[0]
    world.sandbox.call("POST", "/review-requests", {**_body(first), "client_ref": str(intent.reference)})
    before = len(world.sandbox.submissions())
    world.hand_over(intent)
    assert (intent.state, intent.attempt) == ("confirmed", 1)
    assert len(world.sandbox.submissions()) == before


def _body(request: dict[str, object]) -> dict[str, object]:
    body: dict[str, object] = json.loads(str(request["body"]))
    return body


def test_positive_evidence_of_the_first_attempt_confirms_while_signatures_are_awaited(
    world: World, reopened: Intent
) -> None:
    first = world.sandbox.submissions()[0]
    world.sandbox.call("POST", "/review-requests", _body(first))
    person = world.people["support"]
    time.sleep(verifying.BETWEEN_PROBES.total_seconds())  # the conclusion looked at the system a moment ago
    verifying.probe(reopened.pk, actor=Actor.person(person), by_person=person)
    assert world.status(reopened) == "confirmed"
    with pytest.raises(deciding.AlreadyDecided):
        sign_again(world, reopened)


def test_a_refused_new_attempt_was_not_executed(world: World, reopened: Intent) -> None:
    shown = reopened.revision
    deciding.refuse(
        person=world.people["approver"],
        proposal_id=shown.proposal_id,
        revision=shown.number,
        digest=shown.digest,
        reason="NOT_JUSTIFIED",
        round=2,
    )
    assert world.status(reopened) == "not_executed", "a read says so before any sweep"
    world.sweep()
    reopened.refresh_from_db()
    assert (reopened.state, reopened.cause) == ("not_executed", "rejected")


def test_a_new_attempt_nobody_signs_in_time_was_not_executed(world: World, reopened: Intent) -> None:
    proposal = reopened.revision.proposal
    type(proposal).objects.filter(pk=proposal.pk).update(review_expires_at="2020-01-01T00:00:00Z")
    assert world.status(reopened) == "not_executed"
    world.sweep()
    reopened.refresh_from_db()
    assert (reopened.state, reopened.cause) == ("not_executed", "expired")


def test_a_new_attempt_stopped_by_a_check_is_not_executed_and_never_void(world: World, reopened: Intent) -> None:
    sign_again(world, reopened)
    world.sandbox.put("dossiers", "D-42", version=8)
    intent = world.hand_over(world.open(reopened.revision.proposal))
    assert (intent.state, intent.cause) == ("not_executed", "target_changed")


def test_a_new_attempt_can_be_revoked_and_neither_revised_nor_withdrawn(world: World, reopened: Intent) -> None:
    proposal = reopened.revision.proposal
    with pytest.raises(Refusal) as refused:
        stopping.withdraw(world.caller(), proposal_id=proposal.pk)
    assert refused.value.code == "proposal_closed"
    with pytest.raises(Refusal) as refused:
        stopping.revise(
            world.caller(),
            proposal_id=proposal.pk,
            if_match=1,
            arguments={"dossier_ref": "D-42", "expected_version": 7, "reason_code": "PIECE_MANQUANTE"},
        )
    assert refused.value.code == "proposal_closed"
    sign_again(world, reopened)
    stopping.revoke(person=world.people["approver"], proposal_id=proposal.pk, reason="OTHER", words="No.")
    reopened.refresh_from_db()
    assert (reopened.state, reopened.cause) == ("not_executed", "revoked")
    assert not Authorization.objects.filter(voided_at__isnull=True).exists()


def test_two_effects_after_a_new_attempt_diverge_although_its_own_answer_was_a_success(
    world: World, reopened: Intent
) -> None:
    world.business_system_duplicates = True
    sign_again(world, reopened)
    intent = world.open(reopened.revision.proposal)
    world.sandbox.fault("duplicate_effect")
    world.hand_over(intent)
    assert world.status(intent) == "diverged"
    assert Case.objects.get(closed_at__isnull=True).kind == "diverged"


def test_an_intent_being_sent_cannot_be_revoked(world: World) -> None:
    intent = lost_without_effect(world)
    with pytest.raises(TooLate) as late:
        stopping.revoke(person=world.people["approver"], proposal_id=intent.revision.proposal_id, reason="OTHER")
    assert late.value.may_request_cancellation
    assert reconciling.reasons_for("happened")


def test_an_effect_of_the_first_attempt_found_without_its_number_diverges_and_nothing_is_sent(
    world: World, reopened: Intent
) -> None:
    sign_again(world, reopened)
    intent = world.open(reopened.revision.proposal)
    before = len(world.sandbox.submissions())
    search_shows_no_number(world, intent)
    world.hand_over(intent)
    assert (intent.state, intent.attempt, len(world.sandbox.submissions())) == ("diverged", 1, before)
    assert Case.objects.get(closed_at__isnull=True).kind == "diverged"


def test_a_page_of_the_first_attempts_case_decides_nothing_about_the_second(world: World, reopened: Intent) -> None:
    seen = Case.objects.get(intent=reopened).version
    sign_again(world, reopened)
    world.sandbox.fault("drop_before_effect")
    intent = world.hand_over(world.open(reopened.revision.proposal))
    assert (intent.state, intent.attempt) == ("unknown", 2)
    take(world, intent)
    assert case_of(intent).version > seen + 1
