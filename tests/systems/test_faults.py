"""What each fault of the wire proves: never sent, maybe sent, or answered. Every case on a real socket."""

import gzip
import os
import socket
import threading
import time

import pytest

from systems.adapters import connecting, sending
from systems.adapters.base import Delivery
from systems.conformance.bytesserver import Behaviour, RawServer, close_silently, reply, reset, says, silence
from tests.certificates import Authority
from tests.systems.conftest import TOKEN, Start, desk, order

NEVER, MAYBE, ANSWERED = Delivery.NEVER_SENT, Delivery.MAYBE_SENT, Delivery.ANSWERED
OK = b'{"id":"X-1","thing":"D-1","ref":"R-1"}'


def submit(url: str, *, seconds: float = 1.0, **more):
    adapter = desk(url, **more)
    return adapter.submit(adapter.prepare(order()), seconds_left=seconds)


def drip(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 201 X\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n")
    for _ in range(100):
        connection.sendall(b" ")
        time.sleep(0.05)


def drip_headers(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 201 X\r\n")
    for _ in range(100):
        connection.sendall(b"X-A: b\r\n")
        time.sleep(0.05)


def interim(connection: socket.socket) -> None:
    for _ in range(100):
        connection.sendall(b"HTTP/1.1 102 Processing\r\n\r\n")
        time.sleep(0.05)


BROKEN: dict[str, tuple[Behaviour, str, int | None]] = {
    "reset": (reset, "reset", None),
    "closed without a byte": (close_silently, "closed", None),
    "silence": (silence, "read_timeout", None),
    "garbage": (says(b"hello\r\n\r\n"), "protocol", None),
    "half a head": (says(b"HTTP/1.1 201 X\r\nContent-Ty"), "truncated", None),
    "fewer bytes than promised": (says(reply(OK, status=201)[:-5]), "truncated", 201),
    "a chunk cut": (
        says(b"HTTP/1.1 201 X\r\nTransfer-Encoding: chunked\r\n\r\n50\r\n{"),
        "truncated",
        201,
    ),
    "neither length nor chunks": (
        says(b"HTTP/1.1 201 X\r\nContent-Type: application/json\r\n\r\n" + OK),
        "no_length",
        201,
    ),
    "two lengths": (says(reply(OK, status=201, more="Content-Length: 3\r\n")), "protocol", None),
    "more than the cap": (says(reply(b'"' + b"a" * 5000 + b'"', status=201)), "oversize", 201),
    "gzip": (says(reply(gzip.compress(b"0" * 10**7), status=201, more="Content-Encoding: gzip\r\n")), "encoding", 201),
    "two framings": (
        says(b"HTTP/1.1 201 X\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n3\r\n{} \r\n0\r\n\r\n"),
        "protocol",
        201,
    ),
    "a length that is no number": (says(b"HTTP/1.1 201 X\r\nContent-Length: ten\r\n\r\n" + OK), "protocol", None),
    "a negative length": (says(b"HTTP/1.1 201 X\r\nContent-Length: -1\r\n\r\n" + OK), "protocol", None),
    "huge headers": (says(b"HTTP/1.1 201 X\r\n" + b"X-A: b\r\n" * 30000 + b"\r\n"), "protocol", None),
    "ten thousand short headers": (says(reply(OK, status=201, more="A: b\r\n" * 10_000)), "headers", 201),
    "one endless header": (says(b"HTTP/1.1 201 X\r\nX-A: " + b"b" * 300_000 + b"\r\n\r\n"), "protocol", None),
    "interim answers without end": (interim, "read_timeout", None),
    "a body that drips": (drip, "read_timeout", 201),
    "headers that drip": (drip_headers, "read_timeout", None),
    "an upgrade": (says(b"HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"), "protocol", None),
}


@pytest.mark.parametrize("case", BROKEN)
def test_whatever_breaks_after_the_first_byte_is_in_doubt_and_asked_once(serve: Start, case: str) -> None:
    behaviour, fault, status = BROKEN[case]
    server = serve(behaviour)
    got = submit(server.url(), seconds=0.4)
    assert (got.delivery, got.fault, got.status) == (MAYBE, fault, status)
    assert not any((got.success, got.accepted, got.refused, got.not_processed, got.readable))
    assert (got.body_digest, got.reference, got.fields) == (None, None, {})
    assert got.took < 1.2
    assert (server.connections, len(server.requests)) == (1, 1)


def test_a_refused_connection_was_never_sent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    got = submit(f"http://127.0.0.1:{port}")
    assert (got.delivery, got.fault, got.status) == (NEVER, "connect_refused", None)


def test_a_connection_that_nobody_takes_was_never_sent() -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        waiting = [socket.socket() for _ in range(3)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(full.getsockname())
        got = submit(f"http://127.0.0.1:{full.getsockname()[1]}", seconds=0.3)
        for each in waiting:
            each.close()
    assert (got.delivery, got.fault) == (NEVER, "connect_timeout")


def test_a_name_that_does_not_resolve_was_never_sent() -> None:
    got = submit("http://desk.test")
    assert (got.delivery, got.fault) == (NEVER, "dns")


def test_a_stalled_name_lookup_is_cut_in_time_and_was_never_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()
    monkeypatch.setattr(connecting.socket, "getaddrinfo", lambda *_args, **_more: release.wait(5) and [])
    got = submit("http://desk.test")
    release.set()
    assert (got.delivery, got.fault) == (NEVER, "dns")
    assert got.took < 0.9


@pytest.mark.parametrize("seconds", [0.0, -3.0])
def test_an_order_whose_time_is_over_is_never_sent(serve: Start, seconds: float) -> None:
    server = serve(says(reply(OK, status=201)))
    got = submit(server.url(), seconds=seconds)
    assert (got.delivery, got.fault) == (NEVER, "too_late")
    assert server.connections == 0


def test_the_attempt_deadline_bounds_a_caller_that_grants_more(serve: Start) -> None:
    got = submit(serve(silence).url(), seconds=60)
    assert (got.delivery, got.fault) == (MAYBE, "read_timeout")
    assert got.took < 1.5


def test_a_peer_that_never_reads_is_in_doubt(serve: Start) -> None:
    def stall(connection: socket.socket) -> None:
        time.sleep(1.2)

    stall.reads = False  # type: ignore[attr-defined]
    adapter = desk(serve(stall).url(), edit=lambda text: text.replace("note: ", 'big: "{arguments.big?}", note: '))
    prepared = adapter.prepare(order(arguments={"big": "x" * 16_000_000}))
    got = adapter.submit(prepared, seconds_left=0.5)
    assert (got.delivery, got.fault) == (MAYBE, "write_timeout")
    assert got.took < 1.5


def test_a_whole_answer_is_answered(serve: Start) -> None:
    got = submit(serve(says(reply(OK, status=201))).url())
    assert (got.delivery, got.fault, got.success, got.reference) == (ANSWERED, None, True, "R-1")
    assert got.fields == {"id": "X-1", "thing": "D-1"}
    assert got.body_digest
    assert got.body_digest.startswith("sha256:")


def test_an_early_refusal_while_the_body_is_still_being_written_is_read(serve: Start) -> None:
    got = submit(serve(says(reply(b'{"error":"closed"}', status=409))).url())
    assert (got.delivery, got.refused, got.refusal) == (ANSWERED, True, {"en": "Closed.", "fr": "Clos."})


class TestTransportSecurity:
    """FF-50: certificate faults are never sent, there is no downgrade, and no credential leaves."""

    def trusting(self, server: RawServer, authority: Authority, host: str = "127.0.0.1"):
        return submit(server.url(host), edit=lambda text: text + f"\nca_file: {authority.file}\n")

    def test_a_good_certificate_is_answered(self, serve: Start, authority: Authority) -> None:
        server = serve(says(reply(OK, status=201)), tls=authority.server())
        assert self.trusting(server, authority).success

    @pytest.mark.parametrize("case", ["self-signed", "expired", "another host"])
    def test_a_bad_certificate_was_never_sent(self, serve: Start, authority: Authority, case: str) -> None:
        contexts = {
            "self-signed": authority.server(),
            "expired": authority.server(days=-1),
            "another host": authority.server("elsewhere.test"),
        }
        server = serve(says(reply(OK, status=201)), tls=contexts[case])
        got = submit(server.url()) if case == "self-signed" else self.trusting(server, authority)
        assert (got.delivery, got.fault, got.status) == (NEVER, "tls", None)
        assert server.requests == []

    def test_a_handshake_cut_half_way_was_never_sent(self, serve: Start) -> None:
        def cut(connection: socket.socket) -> None:
            connection.recv(1)  # the handshake has begun: a reset before that would be another fault
            reset(connection)

        cut.reads = False  # type: ignore[attr-defined]
        got = submit(serve(cut).url().replace("http:", "https:"))
        assert (got.delivery, got.fault) == (NEVER, "tls")

    def test_a_handshake_that_stalls_was_never_sent(self, serve: Start) -> None:
        def stall(connection: socket.socket) -> None:
            time.sleep(0.9)

        stall.reads = False  # type: ignore[attr-defined]
        got = submit(serve(stall).url().replace("http:", "https:"))
        assert (got.delivery, got.fault) == (NEVER, "connect_timeout")

    def test_a_cut_after_the_request_is_in_doubt(self, serve: Start, authority: Authority) -> None:
        server = serve(reset, tls=authority.server())
        got = self.trusting(server, authority)
        assert got.delivery is MAYBE
        assert len(server.requests) == 1


def test_redirects_are_not_followed_and_prove_nothing(serve: Start) -> None:
    elsewhere = serve(says(reply(OK, status=201)))
    for status in (301, 302, 303, 307, 308):
        server = serve(says(reply(OK, status=status, more=f"Location: {elsewhere.url()}/x\r\n")))
        got = submit(server.url())
        assert (got.delivery, got.status, got.success, got.accepted) == (ANSWERED, status, False, False)
    assert elsewhere.connections == 0


def test_proxies_of_the_environment_are_ignored(serve: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy, server = serve(silence), serve(says(reply(OK, status=201)))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, proxy.url())
    assert submit(server.url()).success
    assert proxy.connections == 0


def test_every_hand_over_has_a_connection_of_its_own_and_carries_no_cookie(serve: Start) -> None:
    def twice(connection: socket.socket) -> None:
        connection.sendall(reply(OK, status=201, more="Set-Cookie: a=b\r\nConnection: keep-alive\r\n"))
        time.sleep(0.2)

    server = serve(twice)
    assert all(submit(server.url()).success for _ in range(3))
    assert server.connections == 3
    assert all(b"connection: close" in request.lower() for request in server.requests)
    assert not any(b"cookie" in request.lower() for request in server.requests)


def test_the_bytes_sent_are_the_bytes_prepared_and_authentication_joins_only_then(serve: Start) -> None:
    server = serve(says(reply(OK, status=201)))
    adapter = desk(server.url())
    prepared = adapter.prepare(order(arguments={"n": 10**30}))
    adapter.submit(prepared, seconds_left=1)
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    assert (
        body
        == prepared.body
        == b'{"thing":"D-1","n":' + b"1" + b"0" * 30 + b',"note":"n=1' + b"0" * 30 + b'","ref":"R-1"}'
    )
    lines = head.decode().split("\r\n")
    assert lines[0] == "POST /orders/D-1?q=q HTTP/1.1"
    assert {f"{name}: {value}" for name, value in prepared.headers} <= set(lines)
    assert f"Authorization: Bearer {TOKEN}" in lines
    assert TOKEN not in repr(prepared) + repr(adapter)
    assert {'If-Match: "7"', "Idempotency-Key: R-1", "Accept-Encoding: identity"} <= set(lines)


def test_a_forked_child_makes_its_own_client_and_still_sends(serve: Start) -> None:
    server = serve(says(reply(OK, status=201)))
    adapter = desk(server.url())
    prepared = adapter.prepare(order())
    assert adapter.submit(prepared, seconds_left=1).success
    parents = set(map(id, sending._clients.values()))
    child = os.fork()
    if child == 0:
        fine = not sending._clients and adapter.submit(prepared, seconds_left=1).success
        os._exit(0 if fine and set(map(id, sending._clients.values())) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert set(map(id, sending._clients.values())) == parents


def test_many_threads_send_at_once_without_mixing_answers(serve: Start) -> None:
    def echo(connection: socket.socket) -> None:
        name = server.requests[-1]
        connection.sendall(reply(OK, status=201))
        assert name

    server = serve(echo)
    results: list[bool] = []
    threads = [threading.Thread(target=lambda: results.append(submit(server.url()).success)) for _ in range(12)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert results == [True] * 12
    assert server.connections == 12
