"""What stops a request for certain before the hand-over, and what is said afterwards."""

import pytest

from approvals.cases import NotAllowed
from approvals.models import Act, Authorization, Signature
from approvals.refusals import Refusal
from intents import stopping
from intents.models import Intent
from intents.queries import standing
from tenancy import tokens
from tests.intents.desk import lost_after_effect
from tests.world import World


def revoke(world: World, proposal_id: int, *, by: str = "approver") -> None:
    """A person takes a signature back."""
    stopping.revoke(person=world.people[by], proposal_id=proposal_id, reason="OTHER", words="A mistake.")


def test_a_signature_revoked_before_the_quorum_leaves_it_awaiting_approval(world: World) -> None:
    proposal = world.refund()
    world.sign(proposal)
    revoke(world, proposal.pk)
    assert world.status(proposal) == "awaiting_approval"
    world.sign(proposal, by="approver2")
    assert world.status(proposal) == "awaiting_approval"
    world.sign(proposal)
    assert world.status(proposal) == "approved"


def test_any_signer_revokes_after_the_quorum_even_before_a_worker_took_it(world: World) -> None:
    proposal = world.refund()
    world.sign(proposal)
    world.sign(proposal, by="approver2")
    assert not Intent.objects.exists()
    revoke(world, proposal.pk, by="approver2")
    assert world.status(proposal) == "revoked"
    assert Authorization.objects.get().cause == "revoked"
    world.sweep(2)
    assert world.sandbox.submissions() == []


@pytest.mark.parametrize("by", ["approver2", "requester", "support"])
def test_nobody_takes_back_the_signature_of_another(world: World, by: str) -> None:
    intent = world.approved()
    with pytest.raises(NotAllowed) as refused:
        revoke(world, intent.revision.proposal_id, by=by)
    assert refused.value.code == "not_signed"
    assert Signature.objects.get().revoked_at is None


@pytest.mark.parametrize("opened", [True, False])
def test_a_withdrawn_proposal_is_not_sent(world: World, opened: bool) -> None:
    proposal = world.propose()
    world.sign(proposal)
    if opened:
        world.open(proposal)
    stopping.withdraw(world.caller(), proposal_id=proposal.pk)
    world.sweep(2)
    for intent in Intent.objects.all():
        world.hand_over(intent)
    assert (world.status(proposal), world.sandbox.submissions()) == ("withdrawn", [])


def test_what_was_handed_over_is_neither_withdrawn_nor_revised(world: World) -> None:
    intent = lost_after_effect(world)
    proposal = intent.revision.proposal
    with pytest.raises(Refusal) as refused:
        stopping.withdraw(world.caller(), proposal_id=proposal.pk)
    assert refused.value.code == "proposal_closed"
    assert world.status(intent) == "outcome_unknown"


def test_the_proposal_of_another_is_not_found(world: World) -> None:
    proposal = world.propose()
    for agent in ("agent-b", "agent-other"):
        with pytest.raises(Refusal) as refused:
            stopping.withdraw(world.caller(agent), proposal_id=proposal.pk)
        assert refused.value.code == "not_found"


def test_a_cancellation_is_asked_after_the_hand_over_and_sends_nothing(world: World) -> None:
    intent = lost_after_effect(world)
    proposal, person = intent.revision.proposal, world.people["approver"]
    stopping.request_cancellation(person=person, proposal_id=proposal.pk, reason="OTHER", words="Please stop it.")
    assert Act.objects.get().kind == "cancellation_request"
    assert world.status(intent) == "outcome_unknown"
    assert len(world.sandbox.submissions()) == 1


def test_a_cancellation_is_not_asked_before_the_hand_over_nor_by_an_outsider(world: World) -> None:
    intent = world.approved()
    for by, code in (("approver", "closed"), ("approver-b", "not_an_approver")):
        with pytest.raises(NotAllowed) as refused:
            stopping.request_cancellation(
                person=world.people[by], proposal_id=intent.revision.proposal_id, reason="OTHER"
            )
        assert refused.value.code == code


def test_a_superseded_revision_reads_superseded_and_its_key_answers_the_new_one(world: World) -> None:
    intent = world.approved()
    proposal = intent.revision.proposal
    arguments = {"dossier_ref": "D-42", "expected_version": 7, "reason_code": "PIECE_MANQUANTE"}
    received = stopping.revise(
        world.caller(), proposal_id=proposal.pk, if_match=1, arguments=arguments, key="k1", body_fingerprint="f"
    )
    again = stopping.revise(
        world.caller(), proposal_id=proposal.pk, if_match=1, arguments=arguments, key="k1", body_fingerprint="f"
    )
    assert received.revision is not None
    assert again.revision is not None
    assert (received.revision.number, again.revision.number, again.replayed) == (2, 2, True)
    with pytest.raises(Refusal) as refused:
        stopping.revise(world.caller(), proposal_id=proposal.pk, if_match=1, arguments=arguments)
    assert refused.value.code == "stale_revision"
    assert standing(proposal, revision=proposal.revisions.get(number=1)).status == "superseded"


def test_a_revision_made_with_a_token_that_is_revoked_then_is_not_sent(world: World) -> None:
    token = world.another_token("second")
    proposal = world.propose()
    given = {"dossier_ref": "D-42", "expected_version": 7, "reason_code": "PIECE_MANQUANTE"}
    stopping.revise(world.caller("second"), proposal_id=proposal.pk, if_match=1, arguments=given)
    world.sign(proposal)
    intent = world.open(proposal)
    tokens.revoke(actor=world.people["operator"], token=token)
    world.hand_over(intent)
    assert (intent.state, intent.cause) == ("void", "token_revoked")


@pytest.mark.parametrize("opened", [True, False], ids=["with an intent", "before a worker took it"])
def test_what_lapsed_is_closed_before_any_sweep(world: World, opened: bool) -> None:
    proposal = world.propose()
    world.sign(proposal)
    if opened:
        world.open(proposal)
    Authorization.objects.update(expires_at="2020-01-01T00:00:00Z")
    given = {"dossier_ref": "D-42", "expected_version": 7, "reason_code": "PIECE_MANQUANTE"}
    for act in (
        lambda: stopping.withdraw(world.caller(), proposal_id=proposal.pk),
        lambda: stopping.revise(world.caller(), proposal_id=proposal.pk, if_match=1, arguments=given),
    ):
        with pytest.raises(Refusal) as refused:
            act()
        assert refused.value.code == "proposal_closed"
    with pytest.raises(NotAllowed) as not_allowed:
        revoke(world, proposal.pk)
    assert (not_allowed.value.code, world.status(proposal)) == ("expired", "expired")
