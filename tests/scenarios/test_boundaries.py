"""The frontiers that could make the four traces untrue, each against the sandbox's own ledger."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from approvals import deciding
from approvals.models import Signature
from intents import dispatching, stopping, verifying
from intents.models import Attempt, Evidence, Intent, Recheck
from proposals.models import Revision
from systems.adapters import registry
from tests.proxying import Proxy
from tests.world import World


def ledger(intent: Intent) -> dict[str, dict[str, object]]:
    """The latest two-ended ledger of an intent, by check."""
    latest = Recheck.objects.filter(intent=intent).order_by("-pk").first()
    assert latest is not None
    return {row["check"]: row for row in latest.ledger}


def in_threads(*calls: object) -> list[object]:
    """Run the calls at the same time, each on a connection of its own; errors are returned as values."""

    def run(call: object) -> object:
        try:
            return call()  # type: ignore[operator]
        except Exception as error:  # noqa: BLE001  the error is the result the test looks at
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def test_a_reason_changed_after_approval_needs_a_decision_of_its_own(world: World) -> None:
    intent = world.approved()
    proposal = intent.revision.proposal
    stopping.revise(
        world.caller(),
        proposal_id=proposal.pk,
        if_match=1,
        arguments={"dossier_ref": "D-42", "expected_version": 7, "reason_code": "PIECE_MANQUANTE"},
        suggestion="A document is missing.",
        facts=(),
    )
    world.hand_over(intent)
    assert world.sandbox.submissions() == []
    assert world.status(proposal) == "awaiting_approval"
    intent.refresh_from_db()
    assert (intent.state, intent.cause) == ("void", "superseded")


def test_an_approval_of_revision_1_replayed_on_revision_2_is_refused(world: World) -> None:
    proposal = world.propose()
    first = Revision.objects.get(proposal=proposal, number=1)
    stopping.revise(
        world.caller(),
        proposal_id=proposal.pk,
        if_match=1,
        arguments={"dossier_ref": "D-42", "expected_version": 7, "reason_code": "PIECE_MANQUANTE"},
        suggestion="",
        facts=(),
    )
    for number in (1, 2):
        with pytest.raises(deciding.Stale) as stale:
            deciding.sign(
                person=world.people["approver"], proposal_id=proposal.pk, revision=number, digest=first.digest
            )
        assert stale.value.current_revision == 2
    assert Signature.objects.count() == 0
    assert world.status(proposal) == "awaiting_approval"


def test_a_content_edited_back_does_not_revive_the_approval_of_the_first(world: World) -> None:
    intent = world.approved()
    proposal = intent.revision.proposal
    for number, reason in ((1, "PIECE_MANQUANTE"), (2, "DONNEE_A_VERIFIER")):
        stopping.revise(
            world.caller(),
            proposal_id=proposal.pk,
            if_match=number,
            arguments={"dossier_ref": "D-42", "expected_version": 7, "reason_code": reason},
            suggestion="The amounts differ.",
            facts=(),
        )
    assert world.status(proposal) == "awaiting_approval"
    world.sweep(2)
    assert world.sandbox.submissions() == []


@pytest.mark.parametrize("person", ["approver", "requester"])
def test_a_role_removed_after_approval_stops_the_hand_over(world: World, person: str) -> None:
    intent = world.approved()
    world.end_role(person)
    world.hand_over(intent)
    assert world.sandbox.submissions() == []
    assert world.status(intent) == "not_sent"
    assert "fails" in {row["verdict"] for row in ledger(intent).values()}


def test_a_file_that_went_from_v7_to_v8_after_approval_needs_a_new_preparation(world: World) -> None:
    intent = world.approved()
    world.sandbox.put("dossiers", "D-42", version=8)
    world.hand_over(intent)
    assert world.sandbox.submissions() == []
    assert world.status(intent) == "not_sent"
    row = ledger(intent)["target_version"]
    assert (str(row["approved"]), str(row["now"]), row["verdict"]) == ("7", "8", "fails")


def test_a_file_closed_after_approval_is_not_sent(world: World) -> None:
    intent = world.approved()
    world.sandbox.put("dossiers", "D-42", state="closed")
    world.hand_over(intent)
    assert (world.sandbox.submissions(), world.status(intent)) == ([], "not_sent")


def test_a_file_moved_to_another_establishment_after_approval_is_not_sent(world: World) -> None:
    intent = world.approved()
    world.sandbox.put("dossiers", "D-42", establishment="B")
    world.hand_over(intent)
    assert (world.sandbox.submissions(), world.status(intent)) == ([], "not_sent")


def test_a_contract_retired_after_approval_stops_the_hand_over(world: World) -> None:
    intent = world.approved()
    world.publish("ouvrir_revue_dossier-2", version="3")
    world.hand_over(intent)
    assert (world.sandbox.submissions(), world.status(intent)) == ([], "not_sent")


def test_eight_workers_on_one_intent_send_it_once(world: World) -> None:
    intent = world.approved()
    world.sandbox.fault("delay", seconds=0.3)
    in_threads(*[lambda: dispatching.hand_over(intent.pk, worker="w")] * 8)
    assert len(world.sandbox.submissions()) == len(world.sandbox.effects()) == 1
    assert world.status(intent) == "confirmed"


def test_of_two_intents_on_one_file_the_second_waits_and_says_on_which(world: World) -> None:
    first = world.approved()
    second = world.approved(arguments={"dossier_ref": "D-42", "expected_version": 7, "reason_code": "PIECE_MANQUANTE"})
    world.sandbox.fault("drop_after_effect")
    world.hand_over(first)
    assert world.status(first) == "outcome_unknown"
    world.hand_over(second)
    standing = world.standing(second)
    assert (standing.status, second.state, second.waiting, second.waiting_on) == (
        "approved",
        "ready",
        "fence",
        first.public_id,
    )
    assert len(world.sandbox.submissions()) == 1


def test_two_intents_on_one_file_handed_over_at_once_are_never_both_sent_while_one_is_in_doubt(world: World) -> None:
    intents = [
        world.approved(arguments={"dossier_ref": "D-42", "expected_version": 7, "reason_code": reason})
        for reason in ("DONNEE_A_VERIFIER", "PIECE_MANQUANTE", "ECART_MONTANT")
    ]
    world.sandbox.fault("silence_after_effect", times=None, seconds=1)
    in_threads(*[lambda pk=intent.pk: dispatching.hand_over(pk, worker="w") for intent in intents])
    assert len(world.sandbox.submissions()) == 1
    assert sorted(Intent.objects.values_list("state", flat=True)) == ["ready", "ready", "unknown"]


def test_a_late_result_is_appended_as_evidence_and_confirms_what_was_unknown(world: World) -> None:
    intent = world.approved()
    world.sandbox.fault("delay", seconds=1.2)

    def deadline_passes() -> None:
        time.sleep(0.5)
        Intent.objects.filter(state="sending").update(deadline="2020-01-01T00:00:00Z")
        world.sweep()
        assert Intent.objects.get().state == "unknown"

    results = in_threads(lambda: dispatching.hand_over(intent.pk, worker="slow"), deadline_passes)
    assert not [result for result in results if isinstance(result, BaseException)], results
    assert world.status(intent) == "confirmed"
    assert Evidence.objects.filter(late=True, verdict="proves").exists()
    assert len(world.sandbox.submissions()) == 1


@pytest.mark.parametrize(
    ("fault", "more", "status", "state"),
    [
        ("drop_before_effect", {}, "outcome_unknown", "unknown"),
        ("drop_after_effect", {}, "outcome_unknown", "unknown"),
        ("silence_after_effect", {"seconds": 4}, "outcome_unknown", "unknown"),
        ("status", {"status": 500, "effect": True}, "confirmed", "confirmed"),  # read back at once
        ("status", {"status": 503, "effect": False}, "outcome_unknown", "unknown"),
        ("status", {"status": 404, "effect": False}, "outcome_unknown", "unknown"),
        ("status", {"status": 429, "effect": False}, "outcome_unknown", "unknown"),
        ("accept_202_then_effect", {"seconds": 60}, "accepted_by_target", "accepted"),
        ("wrong_target", {}, "diverged", "diverged"),
        ("delay", {"seconds": 0.2}, "confirmed", "confirmed"),
    ],
)
def test_what_an_answer_means(world: World, fault: str, more: dict[str, object], status: str, state: str) -> None:
    world.sandbox.fault(fault, **more)
    intent = world.done()
    assert (world.status(intent), intent.state) == (status, state)
    assert len(world.sandbox.submissions()) == 1
    world.sweep(3)
    assert len(world.sandbox.submissions()) == 1, "nothing is repeated"


def test_two_effects_found_by_a_probe_are_a_divergence(world: World) -> None:
    world.business_system_duplicates = True
    world.sandbox.fault("drop_after_effect")
    intent = world.done()
    (effect,) = world.sandbox.effects()
    world.sandbox.call("POST", "/review-requests", effect["arguments"])
    verifying.probe(intent.pk)
    assert world.status(intent) == "diverged"


def test_an_effect_that_searches_do_not_show_yet_stays_unknown_until_it_shows(world: World) -> None:
    world.sandbox.fault("invisible", seconds=1.5, answer=False)
    intent = world.done()
    assert intent.state == "unknown"
    verifying.probe(intent.pk)
    intent.refresh_from_db()
    assert intent.state == "unknown", "an empty search is not proof of absence"
    time.sleep(1.6)
    verifying.probe(intent.pk)
    intent.refresh_from_db()
    assert intent.state == "confirmed"


def test_a_connection_refused_provably_never_left_and_is_tried_again_within_its_budget(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = Proxy(world.sandbox.url)
    with monkeypatch.context() as patch:
        patch.setenv("SANDBOX_URL", proxy.url)
        registry.reload()
        intent = world.approved()
        proxy.only(1)  # the target is seen, and then nobody listens any more
        world.hand_over(intent)
        assert (intent.state, intent.waiting, world.status(intent)) == ("ready", "not_delivered", "approved")
        assert Attempt.objects.get().result == Attempt.Result.NOT_DELIVERED
        assert world.sandbox.submissions() == []
        proxy.listen_again()
        world.hand_over(intent)
        proxy.close()
    registry.reload()
    assert world.status(intent) == "confirmed"
    assert len(world.sandbox.submissions()) == 1
    assert Attempt.objects.count() == 2


def test_revocation_before_the_hand_over_stops_it_for_certain(world: World) -> None:
    intent = world.approved()
    stopping.revoke(
        person=world.people["approver"], proposal_id=intent.revision.proposal_id, reason="OTHER", words="Wrong file."
    )
    world.hand_over(intent)
    assert (world.status(intent), world.sandbox.submissions()) == ("revoked", [])


def test_revocation_after_the_hand_over_says_that_it_is_too_late(world: World) -> None:
    world.sandbox.fault("drop_after_effect")
    intent = world.done()
    with pytest.raises(stopping.TooLate):
        stopping.revoke(
            person=world.people["approver"], proposal_id=intent.revision.proposal_id, reason="OTHER", words="Stop."
        )
    assert world.status(intent) == "outcome_unknown"


def test_revocation_and_hand_over_at_once_give_exactly_one_truthful_answer(world: World) -> None:
    for round_ in range(6):
        target = f"D-{42 if round_ % 2 else 51}"
        version = 7 if target == "D-42" else None
        observed = version or world.sandbox.call("GET", f"/dossiers/{target}")["version"]
        intent = world.approved(
            arguments={"dossier_ref": target, "expected_version": observed, "reason_code": "ECART_MONTANT"},
            session=f"s{round_}",
        )
        proposal = intent.revision.proposal_id

        def revoke(proposal: int = proposal, pause: float = round_ * 0.004) -> object:
            time.sleep(pause)
            return stopping.revoke(person=world.people["approver"], proposal_id=proposal, reason="OTHER", words="")

        revoked, _sent = in_threads(revoke, lambda pk=intent.pk: dispatching.hand_over(pk, worker="w"))
        effects = len(world.sandbox.effects(client_ref=str(intent.reference)))
        if isinstance(revoked, BaseException):
            assert isinstance(revoked, stopping.TooLate), revoked
            assert effects == 1
        else:
            assert (effects, world.status(intent)) == (0, "revoked")


def test_admissions_stopped_for_a_while_send_nothing_lose_nothing_and_go_on_afterwards(world: World) -> None:
    intent = world.approved()
    world.stop("system", "reviews")
    world.hand_over(intent)
    world.sweep(2)
    assert world.sandbox.submissions() == []
    assert (world.status(intent), intent.waiting) == ("approved", "admissions")
    world.resume("system", "reviews")
    world.hand_over(intent)
    assert world.status(intent) == "confirmed"


def test_two_different_people_sign_where_the_quorum_is_two_and_one_person_counts_once(world: World) -> None:
    proposal = world.refund()
    world.sign(proposal, by="approver")
    assert world.status(proposal) == "awaiting_approval"
    with pytest.raises(deciding.AlreadyDecided):
        world.sign(proposal, by="approver")
    with pytest.raises(deciding.NotAllowed):
        world.sign(proposal, by="requester")
    world.sign(proposal, by="approver2")
    intent = world.hand_over(world.open(proposal))
    assert world.status(intent) == "confirmed"
    (effect,) = world.sandbox.effects()
    assert effect["arguments"]["amount_minor"] == 1250
