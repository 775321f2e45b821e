"""The four traces: accepted, refused, expired, unknown. Real HTTP, real worker processes, the real sandbox."""

import time
from collections.abc import Callable

import pytest

from intents.models import Intent
from tests.clients import REVIEW
from tests.processes import Process, until
from tests.scenarios.conftest import Line
from tests.world import World


def test_accepted_a_signed_proposal_is_confirmed_with_its_reference(line: Line) -> None:
    agent = line.agent()
    made = agent.propose(suggestion="The invoice does not match the quote.")
    assert made.status_code == 201, made.text
    assert made.json()["status"] == "awaiting_approval"
    proposal = made.json()["id"]
    assert made.headers["Location"].endswith(f"/api/v1/proposals/{proposal}")
    line.person("approver").sign(proposal)
    resource = agent.wait_for(proposal, "confirmed")
    (effect,) = line.world.sandbox.effects()
    assert resource["evidence"]["request_ref"] == effect["ref"]
    assert resource["evidence"]["dossier_ref"] == REVIEW["dossier_ref"] == effect["arguments"]["dossier_ref"]
    assert resource["evidence"]["reason_code"] == REVIEW["reason_code"] == effect["arguments"]["reason_code"]
    assert effect["ref"] in resource["statement"]
    assert resource["intent"] == Intent.objects.get().public_id
    assert effect["client_ref"] == str(Intent.objects.get().reference)


@pytest.mark.parametrize(
    ("agent", "dossier", "status", "code"),
    [
        ("agent-a", "D-77", 404, "target_not_available"),
        ("agent-a", "D-99999", 404, "target_not_available"),
        ("agent-a", "D-43", 422, "rule_violated"),
        ("agent-other", "D-42", 404, "target_not_available"),
    ],
)
def test_refused_out_of_scope_missing_or_closed_nothing_reaches_the_submit_route(
    doors: Line, agent: str, dossier: str, status: int, code: str
) -> None:
    answer = doors.agent(agent).propose({**REVIEW, "dossier_ref": dossier})
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    assert answer.headers["Content-Type"].startswith("application/problem+json")
    assert doors.world.sandbox.submissions() == []


def test_refused_a_requester_without_the_role_is_told_before_anything_about_the_target(doors: Line) -> None:
    agent = doors.agent()
    doors.world.end_role("requester")
    looked = len(doors.world.sandbox.requests())
    for dossier in ("D-42", "D-77", "D-43", "D-99999"):
        answer = agent.propose({**REVIEW, "dossier_ref": dossier})
        assert (answer.status_code, answer.json()["code"]) == (403, "not_permitted")
    assert len(doors.world.sandbox.requests()) == looked, "nothing was asked about a target"


def test_a_foreign_and_a_missing_target_get_the_same_bytes(doors: Line) -> None:
    agent = doors.agent()
    answers = []
    for dossier in ("D-77", "D-78901"):
        answer = agent.propose({**REVIEW, "dossier_ref": dossier})
        body = {key: value for key, value in answer.json().items() if key != "request_id"}
        answers.append((answer.status_code, body, len(answer.content)))
    assert answers[0] == answers[1]


def test_expired_a_signature_that_lapses_before_any_worker_comes_sends_nothing(
    world: World,
    start_web: Callable[..., str],
    start_worker: Callable[..., Process],
    start_beat: Callable[[], Process],
) -> None:
    world.publish("ouvrir_revue_dossier-2", version="3", policy={"approval_valid_for": "PT1S"})
    line = Line(world, start_web())
    agent = line.agent()
    proposal = agent.propose().json()["id"]
    line.person("approver").sign(proposal)
    assert agent.get(proposal)["status"] in {"approved", "expired"}
    time.sleep(1.1)
    assert agent.get(proposal)["status"] == "expired", "a read computes expiry, whether or not a sweep has run"
    start_worker()
    start_beat()
    until(lambda: Intent.objects.filter(state="void").exists())
    resource = agent.get(proposal)
    assert resource["status"] == "expired"
    assert "nothing was sent" in resource["statement"].lower()
    assert world.sandbox.submissions() == []


def test_unknown_a_lost_answer_repeats_nothing_and_a_later_probe_confirms(line_with_beat: Line) -> None:
    line = line_with_beat
    line.world.sandbox.fault("drop_after_effect")
    line.world.sandbox.fault("status", route="GET /review-requests", times=None, status=503, effect=False)
    agent = line.agent()
    proposal = agent.propose().json()["id"]
    line.person("approver").sign(proposal)
    resource = agent.wait_for(proposal, "outcome_unknown")
    assert resource["retryable"] is False
    assert resource["responsible"] == {"role": "support", "person": None}
    time.sleep(3.5)  # several sweeps, several probes that find nothing
    assert agent.get(proposal)["status"] == "outcome_unknown"
    assert len(line.world.sandbox.effects()) == len(line.world.sandbox.submissions()) == 1
    line.world.sandbox.clear_faults()
    agent.wait_for(proposal, "confirmed", seconds=15)
    assert len(line.world.sandbox.effects()) == len(line.world.sandbox.submissions()) == 1


def test_unknown_a_person_with_evidence_closes_it_as_confirmed(line: Line) -> None:
    line.world.sandbox.fault("drop_after_effect")
    agent = line.agent()
    proposal = agent.propose().json()["id"]
    line.person("approver").sign(proposal)
    agent.wait_for(proposal, "outcome_unknown")
    (effect,) = line.world.sandbox.effects()
    intent = Intent.objects.get()
    support = line.person("support")
    where = f"/reconciliation/{intent.public_id}/"
    support.post(f"{where}ownership/", support.form(where, "take-form"))
    fields = support.form(where, "conclude-form")
    answer = support.post(
        f"{where}conclusions/",
        {
            **fields,
            "finding": "happened",
            "reason": "SEEN_IN_BUSINESS_SYSTEM",
            "words": "Read in the reviews screen.",
            "field_request_ref": effect["ref"],
            "field_dossier_ref": "D-42",
            "field_reason_code": "DONNEE_A_VERIFIER",
        },
    )
    assert answer.status_code == 200, answer.text
    resource = agent.wait_for(proposal, "confirmed", seconds=5)
    assert "support" in resource["statement"].lower()
    assert len(line.world.sandbox.submissions()) == 1
    until(lambda: Intent.objects.get().confirmed_by == "person")
