"""POST /proposals: the resource, idempotency, refusals with their codes and pointers."""

import json

from django.db import connection
from django.test.utils import CaptureQueriesContext

from journal.models import Entry
from proposals.models import Proposal, SubmissionKey
from tests.web.api.calling import GOOD, REFUND, Agent
from tests.world import World

MEMBERS = {
    *("id", "revision", "tool", "contract_version", "digest", "status", "statement", "next_step", "retryable"),
    *("intent", "reference", "attempt", "waiting", "evidence", "proof", "references", "responsible", "decision"),
    *("cause", "review"),
    *("review_expires_at", "approval_expires_at", "poll_interval_ms", "created_at"),
}


def test_a_submission_is_created_with_its_address_and_the_whole_resource(agent: Agent) -> None:
    answer = agent.propose()
    assert answer.status == 201
    assert set(answer.body) == MEMBERS
    assert answer.headers["location"] == f"/api/v1/proposals/{answer.body['id']}"
    assert agent.get(f"/proposals/{answer.body['id']}").body == answer.body


def test_a_submission_costs_few_statements_whatever_its_key(agent: Agent) -> None:
    agent.propose(envelope={"session": "warm"})
    for headers in ({}, {"Idempotency_Key": "K"}):
        with CaptureQueriesContext(connection) as queries:
            answer = agent.propose(envelope={"session": f"s{len(headers)}"}, **headers)
        assert answer.status == 201
        assert 3 <= len(queries) <= 6, [query["sql"][:120] for query in queries]


def test_the_same_key_and_meaning_is_replayed_however_the_body_is_spelt(agent: Agent) -> None:
    first = agent.propose(Idempotency_Key="K1")
    spelt = json.dumps({"arguments": dict(reversed(GOOD.items())), "tool": "ouvrir_revue_dossier"}, indent=3).encode()
    second = agent.post("/proposals", raw=spelt, Idempotency_Key="K1")
    assert (second.status, second.headers["idempotent-replayed"]) == (201, "true")
    assert "idempotent-replayed" not in first.headers
    assert second.body == first.body
    assert Proposal.objects.count() == 1


def test_a_key_used_for_another_body_or_address_is_refused(agent: Agent) -> None:
    created = agent.propose(Idempotency_Key="K1")
    other = agent.propose({**GOOD, "reason_code": "PIECE_MANQUANTE"}, Idempotency_Key="K1")
    assert (other.status, other.code) == (422, "idempotency_key_reused")
    envelope = {"tool": "ouvrir_revue_dossier", "arguments": GOOD}
    path = f"/proposals/{created.body['id']}/revisions"
    elsewhere = agent.post(path, envelope, Idempotency_Key="K1", If_Match='"1"')
    assert (elsewhere.status, elsewhere.code) == (422, "idempotency_key_reused")


def test_another_agent_has_its_own_keys(agent: Agent, foreigner: Agent, world: World) -> None:
    world.sandbox.put("dossiers", "D-900", version=7, state="active", establishment="X")
    mine = agent.propose(Idempotency_Key="K1")
    theirs = foreigner.propose({**GOOD, "dossier_ref": "D-900"}, Idempotency_Key="K1")
    assert (mine.status, theirs.status) == (201, 201)
    assert mine.body["id"] != theirs.body["id"]


def test_every_visible_character_may_stand_in_a_key(agent: Agent) -> None:
    for key in ("".join(map(chr, range(0x21, 0x7F))), "a,b", "x" * 255):
        created, again = agent.propose(Idempotency_Key=key), agent.propose(Idempotency_Key=key)
        assert (created.status, again.status) == (201, 201)
        assert again.body["id"] == created.body["id"]


def test_a_key_of_another_form_is_malformed(agent: Agent) -> None:
    for key in ("", "a b", "x" * 256, "clé"):
        answer = agent.propose(Idempotency_Key=key)
        assert (answer.status, answer.code) == (400, "malformed_request"), key
    assert not Proposal.objects.exists()


def test_without_a_key_the_same_question_is_the_same_proposal(agent: Agent) -> None:
    first = agent.propose()
    again = agent.propose(envelope={"suggestion": "said differently"})
    assert again.headers["idempotent-replayed"] == "true"
    assert again.body["id"] == first.body["id"]
    other = agent.propose(envelope={"session": "s2"})
    assert other.body["id"] != first.body["id"]


def test_a_dry_run_answers_and_records_nothing(agent: Agent) -> None:
    answer = agent.post("/proposals?dry_run=true", {"tool": "ouvrir_revue_dossier", "arguments": GOOD})
    assert (answer.status, answer.body["decision"]["code"]) == (200, "allowed")
    assert not Proposal.objects.exists()
    assert not SubmissionKey.objects.exists()
    refused = agent.post("/proposals?dry_run=yes", {"tool": "ouvrir_revue_dossier", "arguments": GOOD})
    assert refused.code == "malformed_request"


def test_all_argument_errors_have_pointers_relative_to_the_body(agent: Agent) -> None:
    answer = agent.propose({**REFUND, "amount_minor": "1250", "currency": "eur", "extra": 1}, tool="refund_create")
    assert (answer.status, answer.code) == (422, "invalid_arguments")
    assert {"/arguments/amount_minor", "/arguments/currency", "/arguments/extra"} == set(answer.pointers)
    for error in answer.body["errors"]:
        assert {"pointer", "keyword", "expected", "received"} <= set(error)


def test_nothing_is_coerced(agent: Agent) -> None:
    for name, value in (
        ("amount_minor", "1250"),
        ("amount_minor", True),
        ("amount_minor", 12.5),
        ("notify_customer", "false"),
        ("notify_customer", 0),
        ("ledger_ref", "null"),
        ("memo", None),
        ("not_before", "next Friday"),
        ("not_before", "2026-02-30T10:00:00Z"),
        ("not_before", "2026-03-04T10:00:00"),
        ("lines", '[{"sku":"S1","qty":1}]'),
        ("currency", " EUR"),
        ("order_id", "ORD-000123/../../admin"),
    ):
        answer = agent.propose({**REFUND, name: value}, tool="refund_create")
        assert (answer.status, answer.code) == (422, "invalid_arguments"), (name, value)
        assert answer.pointers == [f"/arguments/{name}"]
    assert not Proposal.objects.exists()


def test_arguments_that_are_text_are_never_unwrapped(agent: Agent) -> None:
    answer = agent.propose(json.dumps(GOOD))
    assert (answer.status, answer.pointers) == (422, ["/arguments"])


def test_members_that_belong_to_the_server_are_refused_by_name(agent: Agent) -> None:
    for member in ("status", "approved_by", "tenant", "expires_at", "revision", "submitted_by", "id", "policy"):
        answer = agent.propose(envelope={member: "x"})
        assert (answer.status, answer.code, answer.pointers) == (400, "malformed_request", [f"/{member}"])
    assert agent.propose(envelope={"contract_version": 2}).pointers == ["/contract_version"]
    assert agent.post("/proposals?status=approved", {"tool": "x", "arguments": {}}).code == "malformed_request"
    assert not Proposal.objects.exists()


def test_tool_names_match_exactly(agent: Agent) -> None:
    for name in (
        "functions.refund_create",
        "mcp__biz__refund_create",
        "Refund_Create",
        "refund-create",
        "refund_create ",
        "refund_create@1",
        "ս" * 300,
    ):
        answer = agent.propose(REFUND, tool=name)
        assert (answer.status, answer.code) == (404, "unknown_tool"), name
        assert "refund_create" in answer.body["hint"]


def test_a_foreign_target_and_a_missing_one_have_the_same_bytes(agent: Agent) -> None:
    foreign = agent.propose({**GOOD, "dossier_ref": "D-77"})
    missing = agent.propose({**GOOD, "dossier_ref": "D-99999"})
    assert (foreign.status, foreign.code) == (404, "target_not_available")
    assert foreign.raw == missing.raw
    ignored = {"x-request-id"}
    assert {k: v for k, v in foreign.headers.items() if k not in ignored} == {
        k: v for k, v in missing.headers.items() if k not in ignored
    }


def test_a_secret_is_refused_and_never_echoed(agent: Agent) -> None:
    secret = "sk-test-1234567890abcdefghij"
    for envelope in ({"suggestion": secret}, {"facts": [{"label": "key", "value": secret, "source": "mail"}]}):
        answer = agent.propose(envelope=envelope)
        assert (answer.status, answer.code) == (422, "invalid_arguments")
        assert secret.encode() not in answer.raw
    wrong = agent.propose({**GOOD, "dossier_ref": secret})
    assert secret.encode() not in wrong.raw
    assert not any(secret.encode() in bytes(entry.body) for entry in Entry.objects.all())


def test_a_refused_submission_stands_in_the_journal_and_nowhere_else(agent: Agent) -> None:
    agent.post("/proposals", raw=b'{"tool":')
    agent.propose(envelope={"status": "approved"})
    agent.propose({**GOOD, "dossier_ref": "D-77"})
    agent.post("/proposals", raw=b"tool=x", Content_Type="application/x-www-form-urlencoded")
    told = [json.loads(bytes(entry.body))["facts"] for entry in Entry.objects.filter(kind="submission.refused")]
    codes = sorted(facts["code"] for facts in told)
    assert codes == ["malformed_request", "malformed_request", "target_not_available", "unsupported_media_type"]
    assert all(facts["digest"].startswith("sha256:") for facts in told)
    assert not Proposal.objects.exists()


def test_a_read_is_answered_with_its_evidence(agent: Agent) -> None:
    answer = agent.propose({"numero": "A-4417"}, tool="chercher_dossier")
    assert (answer.status, answer.body["status"], answer.body["intent"]) == (201, "answered", None)
    assert answer.body["evidence"]


def test_a_refused_question_says_which_refusal_it_must_answer(agent: Agent, world: World) -> None:
    from approvals import deciding

    first = agent.propose()
    proposal = Proposal.objects.get()
    shown = world.revision(proposal)
    deciding.refuse(
        person=world.people["approver"],
        proposal_id=proposal.pk,
        revision=1,
        digest=shown.digest,
        reason="NOT_JUSTIFIED",
    )
    refused = agent.propose()
    assert (refused.status, refused.code) == (409, "already_refused")
    assert refused.body["refused"] == {"proposal": first.body["id"], "reason": "NOT_JUSTIFIED"}
    answers = {"proposal": first.body["id"], "what_changed": "A second document came in."}
    assert agent.propose(envelope={"answers": answers}).status == 201
