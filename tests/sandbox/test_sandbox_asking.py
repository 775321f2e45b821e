"""How the sandbox is asked: who may, by which body, and for which span of time."""

import base64
import time

import pytest

from sandbox.storing import instant
from tests.sandbox.sandbox_process import REFUND, REVIEW, SandboxProcess

FORM = "application/x-www-form-urlencoded"
BASIC = "Basic " + base64.b64encode(b"sandbox:sandbox-password").decode()


def token(sandbox: SandboxProcess, body: bytes = b"grant_type=client_credentials", **headers: str):
    return sandbox.call("POST", "/oauth/token", body, Content_Type=FORM, **headers)


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("header", {"X_Api_Key": "sandbox-key"}, {"X_Api_Key": "another"}),
        ("basic", {"Authorization": BASIC}, {"Authorization": BASIC[:-4]}),
    ],
)
def test_whoever_does_not_prove_who_asks_gets_401_and_nothing_happens(
    sandbox: SandboxProcess, kind: str, good: dict[str, str], bad: dict[str, str]
) -> None:
    sandbox.capabilities(authentication=kind)
    for headers in ({}, bad):
        assert sandbox.post("/review-requests", REVIEW, **headers).status == 401
        assert sandbox.get("/dossiers/D-42", **headers).status == 401
    assert sandbox.effects() == []
    assert sandbox.post("/review-requests", REVIEW, **good).status == 201


def test_a_token_opens_for_as_long_as_it_lives(sandbox: SandboxProcess) -> None:
    sandbox.capabilities(authentication="oauth2", token_seconds=0.4)
    given = token(sandbox, Authorization=BASIC)
    assert (given.status, given.json["token_type"], given.headers["cache-control"]) == (200, "Bearer", "no-store")
    bearer = f"Bearer {given.json['access_token']}"
    assert sandbox.get("/dossiers/D-42", Authorization=bearer).status == 200
    assert sandbox.get("/dossiers/D-42", Authorization=bearer + "x").status == 401
    assert sandbox.until(lambda: sandbox.get("/dossiers/D-42", Authorization=bearer).status == 401)


def test_a_token_is_given_to_the_client_alone(sandbox: SandboxProcess) -> None:
    in_form = b"grant_type=client_credentials&client_id=sandbox&client_secret=sandbox-password"
    assert token(sandbox, in_form).status == 200
    assert token(sandbox).json == {"error": "invalid_client"}
    assert token(sandbox, in_form + b"x").json == {"error": "invalid_client"}
    assert token(sandbox, b"grant_type=password", Authorization=BASIC).json == {"error": "unsupported_grant_type"}
    assert "sandbox-password" not in str([seen["headers"] for seen in sandbox.items("/_control/requests")])


def test_a_search_by_body_is_the_search_by_address(sandbox: SandboxProcess) -> None:
    for _ in range(3):
        sandbox.review()
    asked = {"client_ref": "ref-1", "page_size": 2}
    pages = [sandbox.post("/searches/review-requests", {**asked, "page": number}).json["items"] for number in (1, 2)]
    assert [[one["request_ref"] for one in page] for page in pages] == [["R-98", "R-99"], ["R-100"]]
    assert sandbox.post("/searches/review-requests", {"nonsense": 1}).status == 422
    assert len(sandbox.effects()) == 3


def test_a_list_holds_what_was_made_in_its_span(sandbox: SandboxProcess) -> None:
    sandbox.review()
    time.sleep(0.01)
    between = instant(time.time())
    sandbox.review(client_ref="ref-2")
    sandbox.post("/refunds", REFUND)
    early = sandbox.items(f"/review-requests?until={between}")
    late = sandbox.items(f"/review-requests?since={between}&until={instant(time.time() + 1)}")
    assert [one["client_ref"] for one in early + late] == ["ref-1", "ref-2"]
    assert [one["refund_ref"] for one in sandbox.items(f"/refunds?since={between}")] == ["RF-7"]


def test_a_preview_tells_what_a_creation_would_meet_and_does_nothing(sandbox: SandboxProcess) -> None:
    sandbox.review()
    told = sandbox.get("/previews/review-requests?dossier_ref=D-42").json
    assert told == {
        "dossier_ref": "D-42",
        "label": "Ateliers du Port, boiler replacement",
        "possible": True,
        "already": 1,
    }
    assert sandbox.get("/previews/review-requests?dossier_ref=D-43").json["possible"] is False
    assert sandbox.get("/previews/review-requests?dossier_ref=D-1").status == 404
    assert len(sandbox.effects()) == 1
