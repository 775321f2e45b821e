"""Outside a caller's organization and scope nothing is readable or inferable: not by status, body or length."""

import re

import httpx2
import pytest

from approvals.models import Signature
from intents.models import Intent
from tests.scenarios.conftest import Line

CHANGING = re.compile(r'csrfmiddlewaretoken" value="[^"]*"|req_[0-9a-f-]+|"request_id": ?"[^"]*"|nonce-[\w+/=-]+')


def same(answer: httpx2.Response, real: str, other: str) -> tuple[int, str]:
    """What is left of an answer when the id asked for and what changes with each request are masked."""
    text = answer.text.replace(real, "ID").replace(other, "ID")
    return answer.status_code, CHANGING.sub("…", text)


@pytest.fixture
def unknown_case(doors: Line) -> tuple[str, str, str]:
    """A proposal of scope A of `demo` with a signature and an unknown outcome."""
    doors.world.sandbox.fault("drop_after_effect")
    intent = doors.world.done()
    assert intent.state == "unknown"
    return intent.revision.proposal.public_id, intent.public_id, f"A-{Signature.objects.get().pk}"


@pytest.mark.parametrize("agent", ["agent-b", "agent-other"])
def test_a_foreign_agent_gets_the_same_answer_for_a_real_and_for_a_made_up_proposal(
    doors: Line, unknown_case: tuple[str, str, str], agent: str
) -> None:
    proposal, *_rest = unknown_case
    client = doors.agent(agent).http
    for method, path, body, headers in (
        ("GET", "/api/v1/proposals/{}", None, {}),
        ("GET", "/api/v1/proposals/{}/revisions/1", None, {}),
        ("POST", "/api/v1/proposals/{}/withdrawal", {}, {}),
        (
            "POST",
            "/api/v1/proposals/{}/revisions",
            {"tool": "ouvrir_revue_dossier", "arguments": {"dossier_ref": "D-42"}},
            {"If-Match": '"1"'},
        ),
    ):
        real, made_up = (
            client.request(method, path.format(name), json=body, headers=headers) for name in (proposal, "P-999999")
        )
        assert real.status_code == 404, (path, real.text)
        assert same(real, proposal, "P-999999") == same(made_up, proposal, "P-999999")
    assert client.get("/api/v1/proposals").json()["items"] == []


@pytest.mark.parametrize("person", ["approver-b", "support-b", "requester-b", "stranger"])
def test_a_foreign_person_sees_nothing_on_any_screen(
    doors: Line, unknown_case: tuple[str, str, str], person: str
) -> None:
    proposal, intent, receipt = unknown_case
    client = doors.person(person)
    for path, real, made_up in (
        ("/proposals/{}/", proposal, "P-999999"),
        ("/proposals/{}/check/", proposal, "P-999999"),
        ("/reconciliation/{}/", intent, "I-999999"),
        ("/receipts/{}/", receipt, "A-999999"),
    ):
        answers = [client.page(path.format(name)) for name in (real, made_up)]
        assert [answer.status_code for answer in answers] == [404, 404], path
        assert same(answers[0], real, made_up) == same(answers[1], real, made_up)
    for path in ("/", "/reconciliation/"):
        text = client.page(path).text
        assert proposal not in text
        assert intent not in text
        assert "D-42" not in text


@pytest.mark.parametrize("person", ["approver-b", "support-b", "stranger"])
def test_a_foreign_person_changes_nothing_by_any_act(
    doors: Line, unknown_case: tuple[str, str, str], person: str
) -> None:
    proposal, intent, _receipt = unknown_case
    client = doors.person(person)
    token = {"csrfmiddlewaretoken": client.token(client.page("/").text)}
    before = (Intent.objects.get().state, Signature.objects.count())
    for path in (
        f"/proposals/{proposal}/approvals/",
        f"/proposals/{proposal}/refusals/",
        f"/proposals/{proposal}/change-requests/",
        f"/proposals/{proposal}/revocations/",
        f"/proposals/{proposal}/cancellations/",
        f"/proposals/{proposal}/comments/",
        f"/reconciliation/{intent}/ownership/",
        f"/reconciliation/{intent}/probes/",
        f"/reconciliation/{intent}/evidence/",
        f"/reconciliation/{intent}/conclusions/",
    ):
        answer = client.post(path, {**token, "revision": "1", "version": "1", "reason": "OTHER", "words": "x"})
        assert answer.status_code == 404, path
    assert (Intent.objects.get().state, Signature.objects.count()) == before
