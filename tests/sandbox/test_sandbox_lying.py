"""Faults whose answer is wrong."""

import gzip
import http.client
import json
import re
import socket
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.sandbox.sandbox_process import REFUND, REVIEW, SandboxProcess, read_to_end


def split(data: bytes) -> tuple[bytes, bytes]:
    head, _, body = data.partition(b"\r\n\r\n")
    return head, body


def test_wrong_target_lands_on_another_dossier_and_the_ledger_keeps_what_was_asked(sandbox: SandboxProcess) -> None:
    sandbox.fault("wrong_target")
    answer = sandbox.review().json
    assert (answer["dossier_ref"], answer["client_ref"]) == ("D-43", "ref-1")
    effect = sandbox.effects()[0]
    assert (effect["arguments"]["dossier_ref"], effect["result"]["dossier_ref"]) == ("D-42", "D-43")
    assert sandbox.items("/review-requests?client_ref=ref-1") == [answer]


def test_wrong_target_may_be_only_a_wrong_answer(sandbox: SandboxProcess) -> None:
    sandbox.fault("wrong_target", target="D-77", only_in_answer=True)
    assert sandbox.review().json["dossier_ref"] == "D-77"
    assert sandbox.items("/review-requests?client_ref=ref-1")[0]["dossier_ref"] == "D-42"
    sandbox.fault("wrong_target", "GET /review-requests", target="D-77")
    assert sandbox.items("/review-requests?client_ref=ref-1")[0]["dossier_ref"] == "D-77"
    sandbox.fault("wrong_target", "GET /dossiers", target="D-77")
    assert sandbox.get("/dossiers/D-42").json["dossier_ref"] == "D-77"


def test_wrong_reason_has_another_reason_or_amount(sandbox: SandboxProcess) -> None:
    sandbox.fault("wrong_reason", "*", times=3)
    assert sandbox.review().json["reason_code"] == "ECART_MONTANT"
    assert sandbox.review(reason_code="ECART_MONTANT").json["reason_code"] == "OTHER"
    assert sandbox.post("/refunds", REFUND).json["amount_minor"] == 1251


def test_other_reference_answers_with_a_strangers(sandbox: SandboxProcess) -> None:
    sandbox.fault("other_reference")
    answer = sandbox.review()
    assert answer.status == 201
    assert answer.json["client_ref"] != "ref-1"
    assert sandbox.effects()[0]["client_ref"] == "ref-1"


def test_empty_body_is_a_status_and_nothing_else(sandbox: SandboxProcess) -> None:
    sandbox.fault("empty_body")
    answer = sandbox.review()
    assert (answer.status, answer.body, "location" in answer.headers) == (201, b"", False)
    assert len(sandbox.effects()) == 1


def test_truncated_stops_before_the_announced_length(sandbox: SandboxProcess) -> None:
    sandbox.fault("truncated", times=2)
    with pytest.raises(http.client.IncompleteRead):
        sandbox.review()
    head, body = split(read_to_end(sandbox.raw("POST", "/review-requests", REVIEW)))
    announced = re.search(rb"Content-Length: (\d+)", head)
    assert announced
    assert 0 < len(body) < int(announced[1])


def test_short_content_length_sends_more_than_announced(sandbox: SandboxProcess) -> None:
    sandbox.fault("short_content_length")
    head, body = split(read_to_end(sandbox.raw("POST", "/review-requests", REVIEW)))
    assert json.loads(body)["request_ref"] == "R-98"
    assert f"Content-Length: {len(body) // 2}" in head.decode()


def test_no_content_length_ends_with_the_connection(sandbox: SandboxProcess) -> None:
    sandbox.fault("no_content_length")
    head, body = split(read_to_end(sandbox.raw("POST", "/review-requests", REVIEW)))
    assert b"Content-Length" not in head
    assert json.loads(body)["request_ref"] == "R-98"


@pytest.mark.parametrize("effect", [True, False])
def test_html_login_is_a_page_with_200(sandbox: SandboxProcess, effect: bool) -> None:
    sandbox.fault("html_login", effect=effect)
    answer = sandbox.review()
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b"Sign in" in answer.body
    assert len(sandbox.effects()) == effect


def test_the_right_answer_may_come_under_a_wrong_type(sandbox: SandboxProcess) -> None:
    sandbox.fault("delay", seconds=0, headers={"Content-Type": "text/html"})
    answer = sandbox.review()
    assert (answer.headers["content-type"], answer.json["request_ref"]) == ("text/html", "R-98")


@pytest.mark.parametrize("code", [301, 302, 307, 308])
def test_redirect_leads_back_where_following_asks_again(sandbox: SandboxProcess, code: int) -> None:
    sandbox.fault("redirect", status=code)
    answer = sandbox.review()
    assert (answer.status, answer.headers["location"]) == (code, "/review-requests")
    assert sandbox.effects() == []


def test_duplicate_effect_makes_two_and_tells_one(sandbox: SandboxProcess) -> None:
    sandbox.fault("duplicate_effect")
    assert sandbox.review().json["request_ref"] == "R-98"
    assert [item["request_ref"] for item in sandbox.items("/review-requests?client_ref=ref-1")] == ["R-98", "R-99"]
    assert [effect["client_ref"] for effect in sandbox.effects()] == ["ref-1", "ref-1"]


def test_errors_in_200_lists_errors_under_a_success(sandbox: SandboxProcess) -> None:
    sandbox.fault("errors_in_200", times=1)
    answer = sandbox.review()
    assert answer.status == 200
    assert (answer.json["status"], len(answer.json["errors"])) == ("error", 1)
    assert sandbox.effects() == []
    sandbox.fault("errors_in_200", effect=True)
    assert {"errors", "request_ref", "client_ref"} <= set(sandbox.review().json)


def test_duplicate_keys_says_everything_twice(sandbox: SandboxProcess) -> None:
    sandbox.fault("duplicate_keys")
    answer = sandbox.review()
    pairs = json.loads(answer.body, object_pairs_hook=list)
    names = [name for name, _ in pairs]
    assert names.count("client_ref") == names.count("dossier_ref") == 2
    assert answer.json["client_ref"] == "ref-1"
    assert dict(reversed(pairs))["client_ref"] != "ref-1"


def test_a_gzip_bomb_is_small_on_the_wire_and_large_when_unpacked(sandbox: SandboxProcess) -> None:
    sandbox.fault("gzip_bomb", megabytes=8)
    answer = sandbox.review()
    assert answer.headers["content-encoding"] == "gzip"
    assert len(answer.body) < 32_000
    assert len(zlib.decompressobj(31).decompress(answer.body)) > 8 * 1024 * 1024
    assert json.loads(gzip.decompress(answer.body))["request_ref"] == "R-1"
    assert len(sandbox.effects()) == 1


def test_a_full_sized_gzip_bomb_leaves_within_five_seconds(sandbox: SandboxProcess) -> None:
    sandbox.fault("gzip_bomb")
    began = time.monotonic()
    assert len(sandbox.review().body) < 2_000_000
    assert time.monotonic() - began < 5


def test_a_flood_goes_on_while_the_client_listens(sandbox: SandboxProcess) -> None:
    sandbox.fault("flood", megabytes=200)
    with sandbox.raw("POST", "/review-requests", REVIEW) as sock:
        assert b"Transfer-Encoding: chunked" in sock.recv(1024)
        assert sum(len(sock.recv(65536)) for _ in range(50)) > 100_000
    assert sandbox.until(lambda: sandbox.counts()["connections"] == 1)


def test_huge_headers_come_by_the_thousand(sandbox: SandboxProcess) -> None:
    sandbox.fault("huge_headers")
    head, body = split(read_to_end(_closing(sandbox)))
    assert head.count(b"\r\n") > 10_000
    assert json.loads(body)["request_ref"] == "R-98"


def _closing(sandbox: SandboxProcess) -> socket.socket:
    data = json.dumps(REVIEW).encode()
    sock = socket.create_connection((sandbox.host, sandbox.port), timeout=5)
    head = f"POST /review-requests HTTP/1.1\r\nConnection: close\r\nContent-Length: {len(data)}\r\n\r\n"
    sock.sendall(head.encode() + data)
    return sock


def test_swap_replies_gives_two_clients_each_others_answer(sandbox: SandboxProcess) -> None:
    sandbox.fault("swap_replies", times=2, seconds=5)
    with ThreadPoolExecutor(2) as pool:
        got = list(pool.map(lambda ref: sandbox.review(client_ref=ref).json["client_ref"], ["ref-a", "ref-b"]))
    assert got == ["ref-b", "ref-a"]
    assert {effect["client_ref"] for effect in sandbox.effects()} == {"ref-a", "ref-b"}


def test_an_answer_without_partner_is_swapped_with_a_strangers(sandbox: SandboxProcess) -> None:
    sandbox.fault("swap_replies", seconds=0.1)
    answer = sandbox.review().json
    assert answer["client_ref"] != "ref-1"
    assert answer["dossier_ref"] != "D-42"
    assert answer["request_ref"] != "R-98"
