"""What the sandbox does when it is honest."""

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

from tests.sandbox.sandbox_process import REFUND, REVIEW, SandboxProcess, read_to_end


def test_a_dossier_is_read_with_its_version_as_entity_tag(sandbox: SandboxProcess) -> None:
    answer = sandbox.get("/dossiers/D-42")
    assert answer.status == 200
    assert answer.headers["etag"] == '"7"'
    assert answer.json == {
        "dossier_ref": "D-42",
        "label": "Ateliers du Port, boiler replacement",
        "state": "active",
        "version": 7,
        "establishment": "A",
    }
    assert sandbox.get("/dossiers/D-1").json == {"error": "not_found"}


def test_the_seeds_hold_the_files_orders_and_people_of_the_demo(sandbox: SandboxProcess) -> None:
    states = {ref: sandbox.get(f"/dossiers/{ref}").json for ref in ("D-43", "D-77", "A-4417", "D-51", "D-88", "D-905")}
    assert states["D-43"]["state"] == "closed"
    assert [states[ref]["establishment"] for ref in ("D-77", "A-4417", "D-905")] == ["B", "A", "X"]
    assert sandbox.get("/orders/ORD-000123").json["state"] == "paid"
    assert sandbox.get("/users/U-2041").json["establishment"] == "A"
    assert sandbox.get("/ledger/ping").json == {"ok": True}


def test_a_review_request_is_created_once_and_found_by_our_reference(sandbox: SandboxProcess) -> None:
    created = sandbox.review()
    assert created.status == 201
    assert created.json == {"request_ref": "R-98", **REVIEW, "status": "open"}
    assert sandbox.review(client_ref="ref-10").json["request_ref"] == "R-99"
    found = sandbox.get("/review-requests?client_ref=ref-1").json
    assert found == {"items": [created.json], "next": None}
    assert sandbox.get("/review-requests/R-98").json == created.json
    assert len(sandbox.items("/review-requests?dossier_ref=D-42")) == 2


def test_a_request_that_lacks_something_makes_nothing(sandbox: SandboxProcess) -> None:
    refusals = [
        (sandbox.review(reason_code=None, queue=7), 422, {"error": "invalid", "fields": ["reason_code", "queue"]}),
        (sandbox.review(dossier_ref="D-1"), 404, {"error": "not_found"}),
        (sandbox.review(dossier_ref="D-43"), 409, {"error": "dossier_closed"}),
        (sandbox.post("/review-requests", b"{"), 400, {"error": "malformed"}),
        (sandbox.post("/review-requests", b'{"client_ref": "\\ud800"}'), 400, {"error": "malformed"}),
        (sandbox.post("/review-requests", b'{"client_ref": NaN}'), 400, {"error": "malformed"}),
        (sandbox.post("/review-requests", b"[" * 100_000), 400, {"error": "malformed"}),
        (sandbox.call("DELETE", "/review-requests"), 405, {"error": "method_not_allowed"}),
    ]
    for answer, status, body in refusals:
        assert (answer.status, answer.json) == (status, body)
    assert sandbox.effects() == []


def test_if_match_holds_a_request_back_when_the_version_has_changed(sandbox: SandboxProcess) -> None:
    sandbox.call("PUT", "/_control/dossiers/D-42", {"version": 8})
    refused = sandbox.post("/review-requests", REVIEW, If_Match='"7"')
    assert (refused.status, refused.json) == (412, {"error": "version_changed", "current": 8})
    assert sandbox.post("/review-requests", REVIEW, If_Match='"8"').status == 201
    sandbox.capabilities(conditional=False)
    assert sandbox.post("/review-requests", REVIEW, If_Match='"7"').status == 201
    assert [effect["if_match"] for effect in sandbox.effects()] == ['"8"', '"7"']


def test_an_idempotency_key_is_recognised_only_when_switched_on(sandbox: SandboxProcess) -> None:
    for _ in range(2):
        assert "idempotency-replayed" not in sandbox.post("/review-requests", REVIEW, Idempotency_Key="k").headers
    sandbox.capabilities(idempotency=True)
    again = sandbox.post("/review-requests", REVIEW, Idempotency_Key="k")
    assert (again.status, again.json["request_ref"]) == (201, "R-98")
    assert again.headers["idempotency-replayed"] == "true"
    other = sandbox.post("/review-requests", {**REVIEW, "queue": "q"}, Idempotency_Key="k")
    assert other.json == {"error": "idempotency_key_reused"}
    assert [effect["idempotency_key"] for effect in sandbox.effects()] == ["k", "k"]


def test_ten_requests_at_once_under_one_key_have_one_effect(sandbox: SandboxProcess) -> None:
    sandbox.capabilities(idempotency=True)
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda _: sandbox.post("/review-requests", REVIEW, Idempotency_Key="k"), range(10)))
    assert {answer.json["request_ref"] for answer in answers} == {"R-98"}
    assert len(sandbox.effects()) == 1


def test_forty_requests_at_once_get_forty_references(sandbox: SandboxProcess) -> None:
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda n: sandbox.review(client_ref=f"ref-{n}"), range(40)))
    assert len({answer.json["request_ref"] for answer in answers}) == 40
    assert all(before["seq"] < after["seq"] for before, after in pairwise(sandbox.effects()))


def test_a_search_comes_page_by_page(sandbox: SandboxProcess) -> None:
    for _ in range(5):
        sandbox.review()
    first = sandbox.get("/review-requests?client_ref=ref-1&page_size=2").json
    second = sandbox.get(first["next"]).json
    third = sandbox.get(second["next"]).json
    pages = [[item["request_ref"] for item in page["items"]] for page in (first, second, third)]
    assert pages == [["R-98", "R-99"], ["R-100", "R-101"], ["R-102"]]
    assert third["next"] is None
    assert sandbox.get("/review-requests?nonsense=1").status == 422
    assert sandbox.get("/review-requests?page=0").status == 422


def test_a_system_may_neither_search_nor_echo(sandbox: SandboxProcess) -> None:
    sandbox.capabilities(lookup=False, echo=False)
    assert "client_ref" not in sandbox.review().json
    assert sandbox.get("/review-requests?client_ref=ref-1").status == 501
    assert sandbox.effects()[0]["client_ref"] == "ref-1"


def test_a_young_request_is_not_found_by_search_until_it_is_visible(sandbox: SandboxProcess) -> None:
    sandbox.capabilities(visibility_seconds=0.3)
    sandbox.review()
    assert sandbox.items("/review-requests?client_ref=ref-1") == []
    assert sandbox.get("/review-requests/R-98").status == 200
    assert sandbox.until(lambda: len(sandbox.items("/review-requests?client_ref=ref-1")) == 1)


def test_a_review_request_can_be_cancelled_until_it_is_handled(sandbox: SandboxProcess) -> None:
    sandbox.review()
    cancelled = sandbox.post("/review-requests/R-98/cancellation", {"client_ref": "ref-2"})
    assert cancelled.status == 200
    assert (cancelled.json["status"], cancelled.json["client_ref"]) == ("cancelled", "ref-2")
    assert sandbox.get("/review-requests/R-98").json["status"] == "cancelled"
    assert sandbox.items("/cancellations?client_ref=ref-2") == [cancelled.json]
    again = sandbox.post("/review-requests/R-98/cancellation", {"client_ref": "ref-2"})
    assert (again.status, again.json) == (200, cancelled.json)
    assert sandbox.post("/review-requests/R-98/cancellation", {"client_ref": "ref-3"}).status == 409
    assert [effect["kind"] for effect in sandbox.effects()] == ["review_request.created", "review_request.cancelled"]


def test_a_handled_request_is_cancelled_too_late(sandbox: SandboxProcess) -> None:
    sandbox.review()
    sandbox.call("PUT", "/_control/review-requests/R-98", {"status": "handled"})
    late = sandbox.post("/review-requests/R-98/cancellation")
    assert (late.status, late.json) == (409, {"error": "too_late"})
    assert sandbox.post("/review-requests/R-1/cancellation").status == 404
    assert len(sandbox.effects()) == 1


def test_a_refund_keeps_the_declared_fields_exactly(sandbox: SandboxProcess) -> None:
    asked = {**REFUND, "memo": "é", "notify_customer": True, "ledger_ref": 9007199254740993, "lines": [{"sku": "S"}]}
    booked = sandbox.post("/refunds", asked)
    assert (booked.status, booked.json) == (201, {"refund_ref": "RF-7", **asked, "status": "booked"})
    assert sandbox.effects()[0]["arguments"] == asked
    assert sandbox.items("/refunds?order_id=ORD-000123") == [booked.json]
    assert sandbox.post("/refunds", {**asked, "amount_minor": "12", "currency": "eur"}).json["fields"] == [
        "amount_minor",
        "currency",
    ]
    assert sandbox.post("/refunds", {**REFUND, "order_id": "ORD-000125"}).json == {"error": "order_closed"}
    assert sandbox.post("/refunds/RF-7/cancellation").json["status"] == "cancelled"


def test_archiving_a_person_changes_the_person_and_can_be_undone(sandbox: SandboxProcess) -> None:
    archived = sandbox.post("/users/U-2041/archival", {"client_ref": "ref-1", "reason": "left the company"})
    assert archived.status == 201
    assert archived.json["user_ref"] == "U-2041"
    assert sandbox.get("/users/U-2041").json["state"] == "archived"
    assert sandbox.items("/archivals?client_ref=ref-1") == [archived.json]
    assert sandbox.post("/users/U-2041/archival", {"client_ref": "ref-2"}).json == {"error": "user_archived"}
    assert sandbox.post("/archivals/AR-1/cancellation").status == 200
    assert sandbox.get("/users/U-2041").json["state"] == "active"


def test_a_form_is_understood_as_well_as_json(sandbox: SandboxProcess) -> None:
    body = b"dossier_ref=D-42&reason_code=OTHER&queue=q&client_ref=ref-1"
    kind = "application/x-www-form-urlencoded"
    assert sandbox.call("POST", "/review-requests", body, Content_Type=kind).status == 201


def test_a_connection_carries_one_request_after_the_other(sandbox: SandboxProcess) -> None:
    with socket.create_connection((sandbox.host, sandbox.port), timeout=5) as sock:
        ask = b"GET /ledger/ping HTTP/1.1\r\nHost: x\r\n%s\r\n"
        sock.sendall(ask % b"" + ask % b"Connection: close\r\n")
        assert read_to_end(sock).count(b"HTTP/1.1 200 OK") == 2


def test_what_is_no_request_gets_a_4xx_and_the_end(sandbox: SandboxProcess) -> None:
    heads = {
        b"nonsense\r\n\r\n": b" 400 ",
        b"POST /refunds HTTP/1.1\r\nContent-Length: x\r\n\r\n": b" 400 ",
        b"POST /refunds HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n": b" 411 ",
        b"POST /refunds HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n": b" 413 ",
    }
    for head, status in heads.items():
        sock = socket.create_connection((sandbox.host, sandbox.port), timeout=5)
        sock.sendall(head)
        assert status in read_to_end(sock)


def test_a_path_that_tries_to_climb_names_nothing(sandbox: SandboxProcess) -> None:
    for path in ("/dossiers/D-42%2F..%2Fadmin", "/dossiers/../dossiers/D-42", "//x/dossiers/D-42", "/dossiers/"):
        assert sandbox.get(path).status == 404
    assert sandbox.items("/_control/requests")[0]["path"] == "/dossiers/D-42%2F..%2Fadmin"


def test_bodies_are_exactly_what_the_ledger_digests(sandbox: SandboxProcess) -> None:
    body = json.dumps(REVIEW, indent=3).encode()
    sandbox.call("POST", "/review-requests", body, Authorization="Bearer sk-secret")
    seen = sandbox.items("/_control/requests?client_ref=ref-1")[0]
    assert seen["body"].encode() == body
    assert seen["body_sha256"] == sandbox.effects()[0]["body_sha256"]
    assert seen["headers"]["Authorization"] == "Bearer ***"
    assert seen["route"] == "/review-requests"
