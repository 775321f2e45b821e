"""Faults that lose, delay or postpone the answer."""

import base64
import hashlib
import hmac
import json
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tests.sandbox.sandbox_process import REVIEW, SandboxProcess, read_to_end


def test_drop_before_effect_closes_without_a_byte_and_without_effect(sandbox: SandboxProcess) -> None:
    sandbox.fault("drop_before_effect")
    assert read_to_end(sandbox.raw("POST", "/review-requests", REVIEW)) == b""
    assert sandbox.effects() == []
    assert sandbox.items("/_control/requests")[0]["fault"] == "drop_before_effect"


def test_drop_after_effect_closes_without_a_byte_after_the_effect(sandbox: SandboxProcess) -> None:
    sandbox.fault("drop_after_effect")
    assert read_to_end(sandbox.raw("POST", "/review-requests", REVIEW)) == b""
    assert len(sandbox.effects()) == 1
    assert len(sandbox.items("/review-requests?client_ref=ref-1")) == 1


def test_reset_after_effect_resets_the_connection_after_the_effect(sandbox: SandboxProcess) -> None:
    sandbox.fault("reset_after_effect")
    with pytest.raises(ConnectionResetError):
        read_to_end(sandbox.raw("POST", "/review-requests", REVIEW))
    assert len(sandbox.effects()) == 1


@pytest.mark.parametrize(("mode", "effects"), [("silence_before_effect", 0), ("silence_after_effect", 1)])
def test_silence_holds_the_connection_for_the_seconds_given(sandbox: SandboxProcess, mode: str, effects: int) -> None:
    sandbox.fault(mode, seconds=0.4)
    sock = sandbox.raw("POST", "/review-requests", REVIEW)
    sock.settimeout(0.2)
    with pytest.raises(TimeoutError):
        sock.recv(1)
    assert len(sandbox.effects()) == effects
    assert sandbox.counts()["held"] == 1
    sock.settimeout(5)
    assert read_to_end(sock) == b""


def test_a_silence_ends_with_the_client_and_leaves_no_thread(sandbox: SandboxProcess) -> None:
    sandbox.fault("silence_after_effect", times=None)
    before = sandbox.counts()["threads"]
    socks = [sandbox.raw("POST", "/review-requests", REVIEW) for _ in range(20)]
    assert sandbox.until(lambda: sandbox.counts()["held"] == 20)
    for sock in socks:
        sock.close()
    assert sandbox.until(lambda: sandbox.counts()["threads"] <= before)
    assert sandbox.counts()["held"] == 0


def test_a_reset_lets_go_of_whoever_is_held(sandbox: SandboxProcess) -> None:
    sandbox.fault("silence_before_effect")
    sock = sandbox.raw("POST", "/review-requests", REVIEW)
    assert sandbox.until(lambda: sandbox.counts()["held"] == 1)
    sandbox.post("/_control/reset")
    assert read_to_end(sock) == b""


def test_delay_answers_late_and_as_usual(sandbox: SandboxProcess) -> None:
    sandbox.fault("delay", seconds=0.3)
    began = time.monotonic()
    assert sandbox.review().status == 201
    assert time.monotonic() - began >= 0.3


def test_a_delayed_effect_comes_at_its_time_even_when_the_client_has_left(sandbox: SandboxProcess) -> None:
    sandbox.fault("delay", seconds=0.5)
    sandbox.raw("POST", "/review-requests", REVIEW).close()
    time.sleep(0.2)
    assert sandbox.effects() == []
    assert sandbox.until(lambda: len(sandbox.effects()) == 1)


@pytest.mark.parametrize("code", [429, 500, 502, 503, 504, 204])
@pytest.mark.parametrize("effect", [True, False])
def test_status_answers_any_code_with_or_without_effect(sandbox: SandboxProcess, code: int, effect: bool) -> None:
    sandbox.fault("status", status=code, effect=effect, headers={"Retry-After": "99999999"}, body={"error": "busy"})
    answer = sandbox.review()
    assert (answer.status, answer.headers["retry-after"]) == (code, "99999999")
    assert answer.body == (b"" if code == 204 else b'{"error": "busy"}')
    assert len(sandbox.effects()) == effect


def test_a_search_can_fail_too(sandbox: SandboxProcess) -> None:
    sandbox.fault("status", "GET /review-requests", status=500, body="broken")
    answer = sandbox.get("/review-requests?client_ref=ref-1")
    assert (answer.status, answer.headers["content-type"], answer.body) == (500, "text/plain", b"broken")
    assert sandbox.get("/review-requests?client_ref=ref-1").status == 200


def test_accept_202_makes_the_effect_and_does_not_tell(sandbox: SandboxProcess) -> None:
    sandbox.fault("accept_202")
    answer = sandbox.review()
    assert (answer.status, answer.json) == (202, {"status": "accepted", "client_ref": "ref-1"})
    assert len(sandbox.effects()) == 1


def test_accept_202_then_effect_makes_it_later(sandbox: SandboxProcess) -> None:
    sandbox.fault("accept_202_then_effect", seconds=0.3)
    assert sandbox.review().status == 202
    assert sandbox.effects() == []
    assert sandbox.until(lambda: len(sandbox.effects()) == 1)
    assert sandbox.effects()[0]["arguments"] == REVIEW


def test_accept_202_never_has_no_effect(sandbox: SandboxProcess) -> None:
    sandbox.fault("accept_202_never", headers={"Location": "/operations/1"})
    answer = sandbox.review()
    assert (answer.status, answer.headers["location"]) == (202, "/operations/1")
    assert sandbox.counts()["deferred"] == 0
    assert sandbox.effects() == []


def test_invisible_makes_an_effect_that_no_search_finds_for_a_while(sandbox: SandboxProcess) -> None:
    sandbox.fault("invisible", seconds=0.4)
    assert read_to_end(sandbox.raw("POST", "/review-requests", REVIEW)) == b""
    assert len(sandbox.effects()) == 1
    assert sandbox.items("/review-requests?client_ref=ref-1") == []
    assert sandbox.until(lambda: len(sandbox.items("/review-requests?client_ref=ref-1")) == 1)


def test_invisible_may_answer_and_may_hide_what_is_there_from_a_read(sandbox: SandboxProcess) -> None:
    sandbox.fault("invisible", seconds=0, answer=True)
    assert sandbox.review().status == 201
    sandbox.fault("invisible", "GET /review-requests", times=2)
    assert sandbox.items("/review-requests?client_ref=ref-1") == []
    assert sandbox.get("/review-requests/R-98").status == 404
    assert len(sandbox.items("/review-requests?client_ref=ref-1")) == 1


def test_slow_drip_sends_the_body_byte_by_byte(sandbox: SandboxProcess) -> None:
    sandbox.fault("slow_drip", bytes_per_second=40, seconds=0.2)
    began = time.monotonic()
    head, _, body = read_to_end(sandbox.raw("POST", "/review-requests", REVIEW)).partition(b"\r\n\r\n")
    assert time.monotonic() - began >= 0.2
    assert b" 201 Created" in head
    assert body == b'{"reques'
    assert len(sandbox.effects()) == 1


class _Receiver(HTTPServer):
    """Keeps what is posted to it."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Keep)
        self.received: list[tuple[dict[str, str], bytes]] = []


class _Keep(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, _Receiver)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.received.append((dict(self.headers), body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the test reads `received`."""


@pytest.fixture
def receiver() -> Iterator[_Receiver]:
    with _Receiver() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_late_callback_tells_the_result_later_and_signs_it(sandbox: SandboxProcess, receiver: _Receiver) -> None:
    url = f"http://127.0.0.1:{receiver.server_port}/hook?x=1"
    sandbox.fault("late_callback", url=url, secret="s3", seconds=0.1, copies=2, changes={"status": "expired"})
    assert sandbox.review().status == 202
    assert len(sandbox.effects()) == 1
    assert sandbox.until(lambda: len(sandbox.items("/_control/callbacks")) == 2)
    headers, body = receiver.received[0]
    signed = headers["X-Timestamp"].encode() + b"." + body
    assert headers["X-Signature"] == hmac.new(b"s3", signed, hashlib.sha256).hexdigest()
    stamped = f"{headers['Webhook-Id']}.{headers['Webhook-Timestamp']}.".encode() + body
    mac = base64.b64encode(hmac.new(b"s3", stamped, hashlib.sha256).digest()).decode()
    assert headers["Webhook-Signature"] == f"v1,{mac}"
    assert receiver.received[1][0]["Webhook-Id"] == headers["Webhook-Id"], "told again, it is the same event"
    assert abs(int(headers["X-Timestamp"]) - time.time()) < 5
    told = json.loads(body)
    assert told == {"event": "review_request.created", "request_ref": "R-98", **REVIEW, "status": "expired"}
    assert [sent["outcome"] for sent in sandbox.items("/_control/callbacks")] == ["204", "204"]
    assert sandbox.items("/_control/faults")[0]["secret"] == "***"


def test_a_callback_nobody_takes_is_noted_and_sent_once(sandbox: SandboxProcess) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    sandbox.fault("late_callback", url=f"http://127.0.0.1:{port}/", secret="s3", seconds=0, effect=False)
    assert sandbox.review().status == 202
    assert sandbox.until(lambda: len(sandbox.items("/_control/callbacks")) == 1)
    assert "refused" in sandbox.items("/_control/callbacks")[0]["outcome"]
    assert sandbox.effects() == []
