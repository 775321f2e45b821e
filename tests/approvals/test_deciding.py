"""People decide: what a signature binds, who may sign, what ends a proposal, and that one decision stands."""

import json
import threading
from typing import Any

import pytest
from django.db import connections, transaction
from django.db.utils import IntegrityError, InternalError

from approvals import deciding
from approvals.deciding import AlreadyDecided, NotAllowed, Stale
from approvals.models import Act, Authorization, Exclusion, Signature
from journal.models import Entry
from proposals.models import Proposal, SubmissionKey
from tests.world import World


def not_signed(world: World, proposal: Proposal, *, by: str = "approver") -> str:
    """The code with which a signature is refused."""
    with pytest.raises(NotAllowed) as caught:
        world.sign(proposal, by=by)
    assert str(caught.value.sentence)
    return caught.value.code


def refuse(world: World, proposal: Proposal, *, by: str = "approver", **more: Any) -> Act:
    shown = world.revision(proposal)
    given = {"reason": "NOT_JUSTIFIED", **more}
    return deciding.refuse(
        person=world.people[by], proposal_id=proposal.pk, revision=shown.number, digest=shown.digest, **given
    )


def state(proposal: Proposal) -> tuple[str, str]:
    proposal.refresh_from_db()
    return proposal.state, proposal.cause


def test_a_signature_binds_everything_that_was_shown(world: World) -> None:
    proposal = world.propose()
    signature = world.sign(proposal)
    bound = json.loads(bytes(signature.payload))
    revision = world.revision(proposal)
    assert bound["revision_digest"] == revision.digest
    assert bound["contract"]["digest"] == revision.contract.digest
    assert bound["policy_version"] == revision.decision["policy_version"]
    assert bound["shown"]["consequence"].startswith("A review request is created")
    assert (bound["target"], bound["reason"], bound["approver"]["name"]) == ("D-42", "DONNEE_A_VERIFIER", "approver")
    assert signature.expires_at > signature.signed_at


def test_the_last_signature_grants_leave_to_act_once(world: World) -> None:
    proposal = world.propose()
    signature = world.sign(proposal)
    authorization = Authorization.objects.get()
    assert state(proposal) == ("authorized", "")
    assert authorization.expires_at == signature.expires_at
    assert list(authorization.signatures.all()) == [Signature.objects.get()]


def test_a_quorum_of_two_needs_two_people_and_expires_with_the_earlier(world: World) -> None:
    proposal = world.refund()
    first = world.sign(proposal)
    with pytest.raises(AlreadyDecided):
        world.sign(proposal)
    assert state(proposal)[0] == "awaiting_approval"
    world.sign(proposal, by="approver2")
    assert state(proposal)[0] == "authorized"
    assert Authorization.objects.get().expires_at == first.expires_at


def test_a_stale_page_signs_nothing(world: World) -> None:
    proposal = world.propose()
    with pytest.raises(Stale) as caught:
        deciding.sign(person=world.people["approver"], proposal_id=proposal.pk, revision=1, digest="sha256:other")
    assert caught.value.current_revision == 1
    assert not Signature.objects.exists()


@pytest.mark.parametrize(
    ("by", "code"),
    [
        ("requester", "not_an_approver"),
        ("approver-b", "not_an_approver"),
        ("support", "not_an_approver"),
        ("stranger", "not_an_approver"),
        ("owner", "not_an_approver"),
    ],
)
def test_only_an_approver_of_the_scope_signs(world: World, by: str, code: str) -> None:
    assert not_signed(world, world.propose(), by=by) == code
    assert not Signature.objects.exists()


def test_nobody_signs_what_is_asked_on_their_own_behalf(world: World) -> None:
    proposal = world.propose()
    grant = world.people["approver"].grants.get()
    grant.pk, grant.person = None, world.people["requester"]
    grant.save()
    assert not_signed(world, proposal, by="requester") == "own_request"


def test_a_person_excluded_from_the_round_does_not_sign_it(world: World) -> None:
    proposal = world.propose()
    person = world.people["approver"]
    Exclusion.objects.create(revision=world.revision(proposal), round=1, person=person, why="concluded")
    assert not_signed(world, proposal) == "excluded"
    world.sign(proposal, by="approver2")


def test_an_approver_whose_role_ended_signs_nothing_and_no_remote_call_is_made(world: World) -> None:
    proposal = world.propose()
    before = len(world.sandbox.requests(method="GET"))
    world.end_role("approver")
    assert not_signed(world, proposal) == "not_an_approver"
    assert len(world.sandbox.requests(method="GET")) == before


def test_a_target_that_moved_on_ends_the_proposal_as_not_sent(world: World) -> None:
    proposal = world.propose()
    world.sandbox.put("dossiers", "D-42", version=8)
    assert not_signed(world, proposal) == "target_changed"
    assert state(proposal) == ("not_sent", "target_changed")
    kinds = list(Entry.objects.filter(chain=proposal.public_id).values_list("kind", flat=True))
    assert {"signature.refused", "proposal.stopped"} <= set(kinds)


def test_a_closed_file_or_a_retired_contract_ends_the_proposal_as_not_sent(world: World) -> None:
    closed, retired = world.propose(), world.propose()
    world.sandbox.put("dossiers", "D-42", state="closed")
    assert not_signed(world, closed) == "rule_violated"
    assert state(closed) == ("not_sent", "rule_violated")
    world.sandbox.put("dossiers", "D-42", state="active")
    world.publish("ouvrir_revue_dossier-2", version="3")
    assert not_signed(world, retired) == "contract_version_not_active"
    assert state(retired) == ("not_sent", "contract_version_not_active")


def test_a_requester_who_lost_the_role_ends_the_proposal(world: World) -> None:
    proposal = world.propose()
    world.end_role("requester")
    assert not_signed(world, proposal) == "not_permitted"
    assert state(proposal) == ("not_sent", "not_permitted")


def test_a_stop_or_a_silent_system_refuses_the_signature_now_and_changes_nothing(world: World) -> None:
    proposal = world.propose()
    world.stop()
    assert not_signed(world, proposal) == "admissions_stopped"
    world.resume()
    world.sandbox.fault("status", route="GET /dossiers/{ref}", status=500)
    assert not_signed(world, proposal) == "target_unreachable"
    assert state(proposal) == ("awaiting_approval", "")
    world.sign(proposal)


def test_a_signature_after_the_review_time_expires_the_proposal_at_once(world: World) -> None:
    proposal = world.propose()
    Proposal.objects.filter(pk=proposal.pk).update(review_expires_at=proposal.created_at)
    assert not_signed(world, proposal) == "expired"
    assert state(proposal) == ("expired", "review_expired")
    assert not_signed(world, proposal) == "expired"
    assert not Signature.objects.exists()


def test_one_refusal_rejects_and_gives_the_derived_key_back(world: World) -> None:
    proposal = world.refund()
    SubmissionKey.objects.update(key="derived:x")
    world.sign(proposal)
    refuse(world, proposal, by="approver2", reason="OTHER", words="Not this customer.")
    assert state(proposal) == ("rejected", "OTHER")
    assert SubmissionKey.objects.get().released_at is not None
    with pytest.raises(AlreadyDecided) as caught:
        world.sign(proposal, by="approver2")
    assert (caught.value.what, caught.value.by) == ("refused", world.people["approver2"])


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"reason": "BECAUSE"}, "unknown_reason"),
        ({"reason": "OTHER", "words": "  "}, "words_missing"),
        ({"words": "x" * 5_000}, "words_too_long"),
        ({"words": "a\x00b"}, "words_unreadable"),
    ],
)
def test_a_refusal_needs_a_reason_of_the_contract(world: World, given: dict, code: str) -> None:
    proposal = world.propose()
    with pytest.raises(NotAllowed) as caught:
        refuse(world, proposal, **given)
    assert caught.value.code == code
    assert state(proposal)[0] == "awaiting_approval"


def test_changes_are_requested_with_a_reason_and_close_the_revision_for_signatures(world: World) -> None:
    proposal = world.propose()
    shown = world.revision(proposal)
    deciding.request_changes(
        person=world.people["approver"], proposal_id=proposal.pk, revision=1, digest=shown.digest, reason="TARGET"
    )
    assert state(proposal) == ("changes_requested", "TARGET")
    with pytest.raises(AlreadyDecided) as caught:
        world.sign(proposal, by="approver2")
    assert caught.value.what == "changes requested"


def test_a_claim_keeps_nobody_from_deciding_and_taking_over_asks_why(world: World) -> None:
    proposal = world.propose()
    first, second = world.people["approver"], world.people["approver2"]
    deciding.claim(person=first, proposal_id=proposal.pk)
    with pytest.raises(NotAllowed) as caught:
        deciding.claim(person=second, proposal_id=proposal.pk)
    assert caught.value.code == "claimed"
    deciding.claim(person=second, proposal_id=proposal.pk, why="On leave today.")
    world.sign(proposal)


def test_a_comment_changes_nothing_and_stands_in_the_journal(world: World) -> None:
    proposal = world.propose()
    deciding.comment(person=world.people["approver2"], proposal_id=proposal.pk, words="Looks right to me.")
    assert state(proposal)[0] == "awaiting_approval"
    assert Entry.objects.filter(chain=proposal.public_id, kind="comment.made").count() == 1


def test_two_people_at_once_make_one_decision(world: World) -> None:
    proposal = world.propose()
    outcomes: list[str] = []

    def decide(name: str, act: Any) -> None:
        try:
            act()
            outcomes.append(name)
        except (AlreadyDecided, NotAllowed) as error:
            outcomes.append(type(error).__name__)
        finally:
            connections.close_all()

    threads = [
        threading.Thread(target=decide, args=("signed", lambda: world.sign(proposal))),
        threading.Thread(target=decide, args=("refused", lambda: refuse(world, proposal, by="approver2"))),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes)[0] == "AlreadyDecided"
    assert Signature.objects.count() + Act.objects.count() == 1


def test_the_same_click_twice_at_once_is_one_signature(world: World) -> None:
    proposal = world.propose()
    outcomes: list[str] = []

    def click() -> None:
        try:
            world.sign(proposal)
            outcomes.append("signed")
        except AlreadyDecided:
            outcomes.append("already")
        finally:
            connections.close_all()

    threads = [threading.Thread(target=click) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["already"] * 3 + ["signed"]
    assert Signature.objects.count() == Authorization.objects.count() == 1


def test_a_lapsed_signature_makes_room_for_a_new_one(world: World) -> None:
    world.publish("refund_create-2", version="3", policy={"approval_valid_for": "PT1S"})
    proposal = world.refund(contract_version="3")
    first = world.sign(proposal)
    threading.Event().wait(1.1)
    second = world.sign(proposal)
    first.refresh_from_db()
    assert (first.revoked_reason, second.revoked_at) == ("lapsed", None)
    assert state(proposal)[0] == "awaiting_approval"


def test_signatures_and_acts_cannot_be_changed_or_deleted(world: World) -> None:
    proposal = world.propose()
    signature = world.sign(proposal)
    refused = world.propose(key="other")
    refuse(world, refused)
    for change in (
        lambda: Signature.objects.filter(pk=signature.pk).update(payload=b"{}"),
        lambda: Signature.objects.filter(pk=signature.pk).update(authorization=None),
        lambda: Signature.objects.filter(pk=signature.pk).delete(),
        lambda: Act.objects.update(words="other"),
        lambda: Act.objects.all()._raw_delete("default"),
    ):
        with pytest.raises((IntegrityError, InternalError)), transaction.atomic():
            change()
