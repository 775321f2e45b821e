"""Setting the scene, ordering faults, reading the ledgers."""

from typing import Any

import pytest

from tests.sandbox.sandbox_process import REVIEW, SandboxProcess, read_to_end


def test_an_object_can_be_changed_and_made(sandbox: SandboxProcess) -> None:
    sandbox.call("PUT", "/_control/dossiers/D-42", {"version": 8})
    assert sandbox.get("/dossiers/D-42").json["label"].startswith("Ateliers")
    assert sandbox.get("/dossiers/D-42").headers["etag"] == '"8"'
    order = {"establishment": "B", "total_minor": 100, "currency": "EUR"}
    assert sandbox.call("PUT", "/_control/orders/ORD-777777", order).status == 200
    assert sandbox.get("/orders/ORD-777777").json["state"] == "paid"
    for wrong in ({"version": "8"}, {"state": "asleep"}, {"colour": "red"}):
        assert sandbox.call("PUT", "/_control/dossiers/D-42", wrong).status == 422


@pytest.mark.parametrize(
    ("asked", "word"),
    [
        ({"mode": "explode"}, "unknown mode"),
        ({"mode": "delay", "seconds": -1}, "seconds: a number"),
        ({"mode": "delay", "seconds": True}, "seconds: a number"),
        ({"mode": "delay", "minutes": 1}, "minutes: no parameter of delay"),
        ({"mode": "late_callback", "url": "http://127.0.0.1/"}, "secret: late_callback needs it"),
        ({"mode": "delay", "times": 0}, "times:"),
        ({"mode": "delay", "skip": "1"}, "skip:"),
        ({"mode": "delay", "where": []}, "where:"),
        ({"mode": "status", "headers": {"A": "b\r\nC: d"}}, "headers:"),
        ({"mode": "delay", "route": "review-requests"}, "route:"),
        ({"mode": "delay", "route": None}, "route:"),
    ],
)
def test_a_fault_that_makes_no_sense_is_refused_in_words(
    sandbox: SandboxProcess, asked: dict[str, Any], word: str
) -> None:
    answer = sandbox.post("/_control/faults", {"route": "*", **asked})
    assert answer.status == 422
    assert word in answer.json["detail"]
    assert sandbox.items("/_control/faults") == []


def test_a_fault_skips_and_counts_its_requests(sandbox: SandboxProcess) -> None:
    sandbox.fault("status", skip=1, times=2, status=500)
    assert [sandbox.review().status for _ in range(4)] == [201, 500, 500, 201]
    shown = sandbox.items("/_control/faults")[0]
    assert (shown["passed"], shown["taken"]) == (1, 2)


def test_a_fault_without_end_lasts_until_it_is_removed(sandbox: SandboxProcess) -> None:
    fault = sandbox.fault("status", times=None, status=500).json["id"]
    assert [sandbox.review().status for _ in range(3)] == [500, 500, 500]
    assert sandbox.call("DELETE", f"/_control/faults/{fault}").json == {"removed": 1}
    assert sandbox.review().status == 201


@pytest.mark.parametrize(
    ("route", "hit"),
    [
        ("POST /review-requests", [True, False, True]),
        ("POST /review-requests$", [True, False, False]),
        ("/review-requests", [True, True, True]),
        ("GET *", [False, True, False]),
        ("*", [True, True, True]),
        ("POST /review-requests/{ref}/cancellation", [False, False, True]),
        ("POST /review", [False, False, False]),
    ],
)
def test_a_fault_is_for_its_route_only(sandbox: SandboxProcess, route: str, hit: list[bool]) -> None:
    sandbox.review()
    sandbox.fault("status", route, times=None, status=503)
    answers = [sandbox.review(), sandbox.get("/review-requests"), sandbox.post("/review-requests/R-98/cancellation")]
    assert [answer.status == 503 for answer in answers] == hit
    assert sandbox.get("/healthz").status == 200


def test_a_fault_may_be_for_one_object_only(sandbox: SandboxProcess) -> None:
    sandbox.fault("status", where={"dossier_ref": "D-51"}, times=None, status=500)
    assert [sandbox.review(dossier_ref=ref).status for ref in ("D-42", "D-51", "D-88")] == [201, 500, 201]


def test_a_fault_makes_the_request_seen_but_not_its_effect(sandbox: SandboxProcess) -> None:
    sandbox.fault("drop_before_effect", "GET /dossiers")
    assert read_to_end(sandbox.raw("GET", "/dossiers/D-42")) == b""
    sandbox.get("/healthz")
    seen = sandbox.items("/_control/requests?path=/dossiers/D-42&method=GET")
    assert [(request["route"], request["fault"]) for request in seen] == [("/dossiers/{ref}", "drop_before_effect")]
    assert sandbox.counts()["requests"] == 1


def test_ledgers_are_filtered_by_what_they_hold_and_by_nothing_else(sandbox: SandboxProcess) -> None:
    sandbox.review()
    sandbox.review(client_ref="ref-2")
    sandbox.post("/review-requests/R-98/cancellation", {"client_ref": "ref-3"})
    assert len(sandbox.items("/_control/effects?kind=review_request.created")) == 2
    assert [effect["ref"] for effect in sandbox.items("/_control/effects?client_ref=ref-2")] == ["R-99"]
    assert [effect["ref"] for effect in sandbox.items("/_control/effects?since=2")] == ["C-1"]
    assert sandbox.get("/_control/effects?client=ref-2").status == 422
    assert sandbox.counts()["effects_by_kind"] == {"review_request.created": 2, "review_request.cancelled": 1}
    assert sandbox.counts()["requests_by_route"]["POST /review-requests"] == 2


def test_a_reset_begins_again(sandbox: SandboxProcess) -> None:
    sandbox.capabilities(lookup=False)
    sandbox.fault("accept_202_then_effect", seconds=0.1)
    sandbox.review()
    sandbox.fault("status", times=None)
    sandbox.call("PUT", "/_control/dossiers/D-42", {"version": 99})
    sandbox.post("/_control/reset")
    assert sandbox.counts()["requests"] == sandbox.counts()["deferred"] == 0
    assert sandbox.get("/_control/capabilities").json["lookup"] is True
    assert sandbox.get("/dossiers/D-42").json["version"] == 7
    assert sandbox.review().json["request_ref"] == "R-98"
    assert len(sandbox.effects()) == 1


def test_capabilities_take_only_what_they_know(sandbox: SandboxProcess) -> None:
    for wrong in ({"telepathy": True}, {"lookup": 1}, {"visibility_seconds": -1}, {"authentication": "smile"}):
        assert sandbox.call("PUT", "/_control/capabilities", wrong).status == 422
    assert sandbox.get("/_control/capabilities").json == {
        "idempotency": False,
        "conditional": True,
        "lookup": True,
        "echo": True,
        "visibility_seconds": 0,
        "authentication": "none",
        "token_seconds": 300,
    }


def test_a_page_of_another_origin_controls_nothing(sandbox: SandboxProcess) -> None:
    sandbox.review()
    assert sandbox.post("/_control/reset", Origin="http://evil.example").status == 403
    assert sandbox.call("PATCH", "/_control/reset").status == 404
    assert len(sandbox.items(f"/_control/effects?client_ref={REVIEW['client_ref']}")) == 1
