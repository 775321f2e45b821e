"""Answers that prove nothing: those that break off, and those that are whole but have no one meaning."""

import gzip
import socket
import time

from systems.conformance.bytesserver import Behaviour, close_silently, reply, reset, says, silence

THING = b'{"id":"X-1","status":"done","ok":true}'


def _drip(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 201 X\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n")
    for _ in range(60):
        connection.sendall(b" ")
        time.sleep(0.05)


def _flood(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 201 X\r\nContent-Type: application/json\r\nContent-Length: 99000000\r\n\r\n")
    for _ in range(1_500):
        connection.sendall(b"a" * 65_536)


def _whole(status: int, body: bytes = THING, more: str = "") -> Behaviour:
    return says(reply(body, status=status, more=more))


BROKEN: dict[str, Behaviour] = {
    "a reset": reset,
    "a connection closed without a byte": close_silently,
    "silence": silence,
    "bytes that are no HTTP": says(b"hello\r\n\r\n"),
    "half a head": says(b"HTTP/1.1 201 X\r\nContent-Ty"),
    "fewer bytes than announced": says(reply(THING, status=201)[:-5]),
    "a chunk cut short": says(b"HTTP/1.1 201 X\r\nTransfer-Encoding: chunked\r\n\r\n50\r\n{"),
    "two lengths": says(reply(THING, status=201, more="Content-Length: 3\r\n")),
    "a body without end": _flood,
    "a gzip bomb": says(reply(gzip.compress(b" " * 10**7), status=201, more="Content-Encoding: gzip\r\n")),
    "ten thousand headers": says(b"HTTP/1.1 201 X\r\n" + b"X-A: b\r\n" * 10_000 + b"\r\n"),
    "a body that drips": _drip,
}

MEANINGLESS: dict[str, bytes] = {
    "an empty 200": reply(b"", status=200),
    "an empty 201": reply(b"", status=201),
    "an empty 201 with a Location": reply(b"", status=201, more="Location: /things/1\r\n"),
    "a 204": b"HTTP/1.1 204 X\r\n\r\n",
    "a page that asks to sign in": reply(b"<html>Sign in</html>", kind="text/html"),
    "JSON under the type of a page": reply(THING, status=201, kind="text/html"),
    "a key that stands twice": reply(b'{"id":"X-1","id":"X-2","ok":true}', status=201),
    "half a document": reply(b'{"id":"X-1"', status=201),
    "more than its length": reply(THING, status=201) + b"}",
    "NaN": reply(b'{"id":NaN,"ok":true}', status=201),
    "another charset": reply(THING, status=201, kind="application/json; charset=utf-16"),
}

CODES = (400, 401, 403, 404, 408, 409, 410, 418, 422, 425, 429, 500, 502, 503, 504, 599)
REDIRECTS = (300, 301, 302, 303, 307, 308)


def code(status: int) -> Behaviour:
    """A code with a body that no documentation describes, and a wait that nobody should obey."""
    return _whole(status, b'{"unheard":"of"}', "Retry-After: 0\r\n")


def redirect(status: int, location: str) -> Behaviour:
    """Sent elsewhere."""
    return _whole(status, THING, f"Location: {location}\r\n")
