"""The frontiers again, from door to door: an agent and people over HTTP, worker and beat as processes of their own."""

from collections.abc import Callable

from intents.models import Intent
from tests.clients import REVIEW, AgentClient, PersonClient
from tests.processes import Process, until
from tests.scenarios.conftest import Line
from tests.world import World


def signed(agent: AgentClient, person: PersonClient, dossier: str, *, version: int = 7) -> str:
    """A proposal on this file, signed by this person."""
    made = agent.propose({**REVIEW, "dossier_ref": dossier, "expected_version": version})
    assert made.status_code == 201, made.text
    assert person.sign(made.json()["id"]).status_code == 200
    return str(made.json()["id"])


def test_what_changed_between_signature_and_hand_over_is_sent_by_no_worker(
    doors: Line, start_worker: Callable[..., Process], start_beat: Callable[[], Process]
) -> None:
    agent, sandbox = doors.agent(), doors.world.sandbox
    approver, leaver = doors.person("approver"), doors.person("approver2")
    moved_on, closed = signed(agent, approver, "D-42"), signed(agent, approver, "D-44", version=3)
    signed_by_a_leaver = signed(agent, leaver, "D-45", version=5)
    revised, unchanged = signed(agent, approver, "D-46", version=2), signed(agent, approver, "D-47", version=9)
    sandbox.put("dossiers", "D-42", version=8)
    sandbox.put("dossiers", "D-44", state="closed")
    doors.world.end_role("approver2")
    body = {
        "tool": "ouvrir_revue_dossier",
        "arguments": {"dossier_ref": "D-46", "expected_version": 2, "reason_code": "PIECE_MANQUANTE"},
    }
    other_reason = agent.http.post(f"/api/v1/proposals/{revised}/revisions", json=body, headers={"If-Match": '"1"'})
    assert (other_reason.status_code, other_reason.json()["status"]) == (201, "awaiting_approval")
    start_worker()
    start_beat()
    agent.wait_for(unchanged, "confirmed")
    causes = {
        proposal: agent.wait_for(proposal, "not_sent")["cause"] for proposal in (moved_on, closed, signed_by_a_leaver)
    }
    assert causes == {
        moved_on: "target_changed",
        closed: "rule_violated",
        signed_by_a_leaver: "approver_not_entitled",
    }
    assert agent.get(revised)["status"] == "awaiting_approval"
    (sent,) = sandbox.submissions()
    assert "D-47" in sent["body"]


def test_a_stop_holds_back_what_was_signed_and_workers_go_on_once_it_is_lifted(
    doors: Line, start_worker: Callable[..., Process], start_beat: Callable[[], Process]
) -> None:
    agent, operator = doors.agent(), doors.person("operator")
    proposal = signed(agent, doors.person("approver"), "D-42")
    switch = {
        "csrfmiddlewaretoken": operator.token(operator.page("/operations/").text),
        "organization": "demo",
        "subject": "organization",
        "name": "",
    }
    operator.post("/operations/admissions/", {**switch, "move": "stop", "reason": "Drill"})
    start_worker()
    start_beat()
    until(lambda: (agent.get(proposal)["waiting"] or {}).get("for") == "admissions", what="a stop that is told")
    refused = agent.propose({**REVIEW, "dossier_ref": "D-44", "expected_version": 3})
    assert (refused.status_code, refused.json()["code"]) == (503, "admissions_stopped")
    assert "Retry-After" in refused.headers
    held = agent.get(proposal)
    assert held["status"] == "approved"
    assert "admissions are stopped" in held["statement"]
    assert doors.world.sandbox.submissions() == []
    operator.post("/operations/admissions/", {**switch, "move": "resume"})
    agent.wait_for(proposal, "confirmed")
    assert len(doors.world.sandbox.submissions()) == len(doors.world.sandbox.effects()) == 1


def test_of_two_orders_on_one_file_the_second_waits_for_the_doubt_about_the_first_and_is_then_sent(
    line_with_beat: Line, world: World
) -> None:
    agent, approver, sandbox = line_with_beat.agent(), line_with_beat.person("approver"), world.sandbox
    sandbox.fault("drop_after_effect")
    sandbox.fault("status", route="GET /review-requests", times=None, status=503, effect=False)
    first = signed(agent, approver, "D-42")
    agent.wait_for(first, "outcome_unknown")
    other = agent.propose({**REVIEW, "reason_code": "PIECE_MANQUANTE"}).json()["id"]
    approver.sign(other)
    doubtful = Intent.objects.get(revision__proposal=int(first[2:])).public_id
    until(lambda: agent.get(other)["waiting"] == {"for": "fence", "on": doubtful}, what="a fence that is told")
    assert agent.get(other)["status"] == "approved"
    assert len(sandbox.submissions()) == 1
    sandbox.clear_faults()
    agent.wait_for(first, "confirmed")
    agent.wait_for(other, "confirmed")
    assert len(sandbox.submissions()) == len(sandbox.effects()) == 2
