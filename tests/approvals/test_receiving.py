"""Submissions: the order of the checks, what each refusal tells, what stays recorded, and once under one key."""

import json

import pytest

from approvals import deciding, receiving
from approvals.examining import Answers
from approvals.models import Authorization
from approvals.refusals import Refusal
from intents.models import Intent
from journal.models import Entry
from proposals.contracts import contract_of
from proposals.models import Proposal, Revision, SubmissionKey
from tests.world import World


def refused(world: World, *args: object, **more: object) -> Refusal:
    """The refusal of a submission, after which nothing is recorded but the journal."""
    before = Proposal.objects.count(), Revision.objects.count(), SubmissionKey.objects.count()
    with pytest.raises(Refusal) as caught:
        world.propose(*args, **more)
    assert (Proposal.objects.count(), Revision.objects.count(), SubmissionKey.objects.count()) == before
    assert Entry.objects.filter(kind="submission.refused").count() >= 1
    return caught.value


def told(kind: str) -> dict:
    return json.loads(bytes(Entry.objects.filter(kind=kind).latest("id").body))


def test_a_proposal_holds_its_arguments_its_decision_and_its_journal_entry(world: World) -> None:
    proposal = world.propose()
    revision = world.revision(proposal)
    assert proposal.state == "awaiting_approval"
    assert (revision.target, revision.target_version, revision.observation["state"]) == ("D-42", "7", "active")
    assert revision.decision["code"] == "allowed"
    assert told("proposal.submitted")["facts"]["digest"] == revision.digest


def test_an_unknown_tool_is_refused_with_the_names_this_caller_may_use(world: World) -> None:
    refusal = refused(world, tool="Ouvrir_Revue_Dossier")
    assert (refusal.code, refusal.status) == ("unknown_tool", 404)
    assert "ouvrir_revue_dossier" in refusal.hint


def test_a_version_that_is_not_active_is_refused_and_the_active_one_named(world: World) -> None:
    assert refused(world, contract_version="1").code == "contract_version_not_active"


def test_all_argument_errors_come_at_once_with_their_pointers(world: World) -> None:
    given = {"dossier_ref": "d-42", "expected_version": "7", "motif": "x"}
    refusal = refused(world, arguments=given)
    assert (refusal.code, refusal.status) == ("invalid_arguments", 422)
    pointers = {error["pointer"] for error in refusal.errors}
    assert {
        "/arguments/dossier_ref",
        "/arguments/expected_version",
        "/arguments/reason_code",
        "/arguments/motif",
    } <= pointers


def test_a_person_without_the_right_learns_nothing_about_the_target(world: World) -> None:
    world.end_role("requester")
    refusal = refused(world, "D-404")
    assert (refusal.code, refusal.status) == ("not_permitted", 403)
    assert not world.sandbox.requests(method="GET")


def test_a_token_limited_to_other_tools_is_not_permitted(world: World) -> None:
    caller = world.caller()
    caller.token.tools = ["refund_create"]
    caller.token.save()
    assert refused(world).code == "not_permitted"


def test_foreign_and_missing_targets_are_one_answer_for_one_remote_call(world: World) -> None:
    foreign = refused(world, "D-77")
    calls = len(world.sandbox.requests(method="GET"))
    missing = refused(world, "D-99999")
    assert len(world.sandbox.requests(method="GET")) == 2 * calls == 2
    assert (foreign.code, foreign.status, foreign.detail, foreign.hint, foreign.errors) == (
        missing.code,
        missing.status,
        missing.detail,
        missing.hint,
        missing.errors,
    )
    assert foreign.technical_reason != missing.technical_reason
    assert told("submission.refused")["facts"]["technical_reason"] == missing.technical_reason


def test_a_closed_file_is_refused_by_rule_and_no_request_reaches_the_submit_route(world: World) -> None:
    world.sandbox.put("dossiers", "D-43", version=3, state="closed", establishment="A")
    given = {"dossier_ref": "D-43", "expected_version": 3, "reason_code": "DONNEE_A_VERIFIER"}
    refusal = refused(world, arguments=given)
    assert refusal.code == "rule_violated"
    assert refusal.hint == "The file must be active."
    assert not world.sandbox.submissions()


def test_a_version_that_was_not_read_is_refused(world: World) -> None:
    given = {"dossier_ref": "D-42", "expected_version": 6, "reason_code": "DONNEE_A_VERIFIER"}
    assert refused(world, arguments=given).code == "target_changed"


def test_a_stop_of_admissions_refuses_before_any_remote_call(world: World) -> None:
    world.stop("tool", "ouvrir_revue_dossier")
    refusal = refused(world)
    assert (refusal.code, refusal.status, refusal.retryable) == ("admissions_stopped", 503, True)
    assert not world.sandbox.requests(method="GET")


def test_an_unreachable_system_is_neither_missing_nor_foreign(world: World) -> None:
    world.sandbox.fault("status", route="GET /dossiers/{ref}", status=500, times=None)
    refusal = refused(world)
    assert (refusal.code, refusal.status) == ("target_unreachable", 503)


def test_a_secret_is_refused_with_its_place_and_never_kept(world: World) -> None:
    secret = "sk-test-1234567890abcdefghij"
    refusal = refused(world, suggestion=f"use {secret}")
    assert (refusal.code, [error["pointer"] for error in refusal.errors]) == ("invalid_arguments", ["/suggestion"])
    everything = b"".join(bytes(entry.body) for entry in Entry.objects.all())
    assert secret.encode() not in everything


def test_a_whole_document_is_not_a_fact(world: World) -> None:
    facts = ({"label": "mail", "value": "x" * 5_000, "source": "inbox"},)
    refusal = refused(world, facts=facts)
    assert [error["pointer"] for error in refusal.errors] == ["/facts/0/value"]


def test_the_same_key_and_body_is_the_same_proposal(world: World) -> None:
    first, second = world.propose(key="K1"), world.propose(key="K1")
    assert first.pk == second.pk
    assert told("submission.replayed")["facts"]["key"] == "header"


def test_the_same_key_with_another_body_is_refused(world: World) -> None:
    world.propose(key="K1")
    given = {"dossier_ref": "D-42", "expected_version": 7, "reason_code": "PIECE_MANQUANTE"}
    assert refused(world, key="K1", arguments=given).code == "idempotency_key_reused"


def test_a_refusal_is_not_remembered_under_its_key(world: World) -> None:
    world.stop()
    assert refused(world, key="K1").code == "admissions_stopped"
    world.resume()
    assert world.propose(key="K1").state == "awaiting_approval"


def test_without_a_key_the_meaning_is_the_key_until_the_proposal_ends(world: World) -> None:
    caller = world.caller()
    given = {"dossier_ref": "D-42", "expected_version": 7, "reason_code": "DONNEE_A_VERIFIER"}
    asked = receiving.Submission("ouvrir_revue_dossier", None, given)
    first = receiving.receive(caller, asked, key=None, body_fingerprint="sha256:a")
    again = receiving.receive(caller, asked, key=None, body_fingerprint="sha256:b")
    assert again.replayed
    assert again.proposal.pk == first.proposal.pk


def test_a_dry_run_tells_the_decision_and_records_the_journal_only(world: World) -> None:
    given = {"dossier_ref": "D-42", "expected_version": 7, "reason_code": "DONNEE_A_VERIFIER"}
    asked = receiving.Submission("ouvrir_revue_dossier", None, given)
    received = receiving.receive(world.caller(), asked, key="K", body_fingerprint="sha256:a", dry_run=True)
    assert received.proposal is None
    assert received.decision.allowed
    assert not Proposal.objects.exists()
    assert not SubmissionKey.objects.exists()
    assert told("decision.taken")["facts"]["dry_run"] is True


def test_a_refused_question_returns_only_with_what_changed(world: World) -> None:
    first = world.propose()
    shown = world.revision(first)
    deciding.refuse(
        person=world.people["approver"],
        proposal_id=first.pk,
        revision=1,
        digest=shown.digest,
        reason="NOT_JUSTIFIED",
    )
    refusal = refused(world)
    assert (refusal.code, refusal.extra["refused"]["proposal"]) == ("already_refused", first.public_id)
    assert refused(world, answers=Answers("P-999999", "new facts")).code == "invalid_arguments"
    second = world.propose(answers=Answers(first.public_id, "The customer sent the document."))
    assert (second.answers_proposal, second.what_changed) == (first.pk, "The customer sent the document.")


def test_a_read_is_answered_at_once_with_fields_of_its_output_contract_only(world: World) -> None:
    proposal = world.propose(tool="chercher_dossier", arguments={"numero": "A-4417"})
    assert proposal.state == "answered"
    assert set(proposal.answer) <= set(contract_of(proposal.contract).output_fields)
    assert proposal.answer
    assert not Intent.objects.exists()


def test_a_read_without_target_answers_what_the_system_said(world: World) -> None:
    asked = receiving.Submission("ledger_ping", None, {})
    proposal = receiving.receive(world.caller(), asked, key="K", body_fingerprint="sha256:a").proposal
    assert (proposal.state, proposal.answer) == ("answered", {"ok": True})


def _asked(world: World) -> Proposal:
    """The same question without any key."""
    given = {"dossier_ref": "D-42", "expected_version": 7, "reason_code": "DONNEE_A_VERIFIER"}
    submission = receiving.Submission(tool="ouvrir_revue_dossier", contract_version=None, arguments=given)
    received = receiving.receive(world.caller(), submission, key=None, body_fingerprint="")
    assert received.proposal is not None
    return received.proposal


@pytest.mark.parametrize("step", ["undecided", "signed", "ready"])
def test_what_expired_by_the_clock_is_asked_anew_although_no_sweep_has_run(world: World, step: str) -> None:
    first = _asked(world)
    assert _asked(world) == first, "while it lives, the same question is the same proposal"
    if step != "undecided":
        world.sign(first)
    if step == "ready":
        world.open(first)
    Proposal.objects.update(review_expires_at="2020-01-01T00:00:00Z")
    Authorization.objects.update(expires_at="2020-01-01T00:00:00Z")
    assert world.status(first) == "expired"
    again = _asked(world)
    assert (again.pk != first.pk, world.status(again)) == (True, "awaiting_approval")
    world.sweep()
    assert (_asked(world), world.sandbox.submissions()) == (again, [])


@pytest.mark.parametrize(
    ("limits", "code"), [({"scope": "B"}, "not_permitted"), ({"tools": ["refund_create"]}, "not_permitted")]
)
def test_a_key_opens_nothing_that_the_token_may_not_read(world: World, limits: dict, code: str) -> None:
    world.another_token("narrow", **limits)
    world.propose(key="one")
    assert refused(world, key="one", agent="narrow").code == code
    assert refused(world, "D-43", key="one", agent="narrow").code == code
