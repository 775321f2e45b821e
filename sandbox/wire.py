"""HTTP/1.1 on a bare socket: requests as they came, replies as they leave, and a grip on the connection itself."""

import hashlib
import json
import socket
import struct
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

MAX_HEAD_BYTES = 64 * 1024
MAX_BODY_BYTES = 1024 * 1024
IDLE_SECONDS = 30.0


class MalformedRequest(Exception):
    """The bytes received are not a request this server reads; the status says why."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


class MalformedBody(ValueError):
    """The body is not the JSON (or form) it should be."""


@dataclass(frozen=True)
class Request:
    """One request exactly as received: `path` is not decoded, `headers` keep their order and repetitions."""

    method: str
    path: str
    query: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    seq: int = 0

    def header(self, name: str) -> str | None:
        """The first header of that name, whatever its case."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    @cached_property
    def parameters(self) -> dict[str, str]:
        return dict(parse_qsl(self.query, keep_blank_values=True))

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.body).hexdigest()

    @cached_property
    def fields(self) -> dict[str, Any]:
        """The body as an object; raises MalformedBody where it is none."""
        is_form = (self.header("Content-Type") or "").startswith("application/x-www-form-urlencoded")
        if is_form and not self.body.startswith(b"{"):
            return dict(parse_qsl(self.body.decode("utf-8", "strict"), keep_blank_values=True))
        return _json_object(self.body)

    @property
    def hints(self) -> dict[str, Any]:
        """What body and query say, for filters: empty where they say nothing readable."""
        try:
            return {**self.parameters, **self.fields}
        except ValueError:
            return dict(self.parameters)


def _refuse_constant(name: str) -> Any:
    raise MalformedBody(f"{name} is not JSON")


def _json_object(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_refuse_constant) if body else {}
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # a lone surrogate could not be stored or sent again
    except (ValueError, RecursionError) as error:
        raise MalformedBody(str(error)) from error
    if not isinstance(value, dict):
        raise MalformedBody("the body is not an object")
    return value


@dataclass(frozen=True)
class Reply:
    """An answer: a `document` sent as JSON, or `raw` bytes sent as they are."""

    status: int
    document: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    @property
    def body(self) -> bytes:
        if self.raw is not None:
            return self.raw
        return b"" if self.document is None else json.dumps(self.document, ensure_ascii=False).encode("utf-8")

    def with_headers(self, headers: Mapping[str, str]) -> "Reply":
        return replace(self, headers={**self.headers, **headers}) if headers else self

    def head(self, **framing: str) -> bytes:
        """Status line and headers; `framing` names the headers that say where the body ends."""
        try:
            phrase = HTTPStatus(self.status).phrase
        except ValueError:
            phrase = "Unassigned"
        kind = {"Content-Type": "application/json"} if self.document is not None else {}
        lines = {**kind, **{key.replace("_", "-"): value for key, value in framing.items()}, **self.headers}
        return _head_bytes(f"HTTP/1.1 {self.status} {phrase}", lines.items())

    def wire(self, *, closing: bool = False) -> bytes:
        """The whole answer as an honest server sends it."""
        framing = {} if self.status in (204, 304) else {"Content_Length": str(len(self.body))}
        return self.head(**framing, **({"Connection": "close"} if closing else {})) + self.body


def _head_bytes(first: str, lines: Iterable[tuple[str, str]]) -> bytes:
    text = "\r\n".join([first, *(f"{key}: {value}" for key, value in lines)])
    return f"{text}\r\n\r\n".encode("latin-1", "replace")


class Connection:
    """One client's socket, read as HTTP and written as bytes; it can be closed, reset or held at any moment."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.settimeout(IDLE_SECONDS)
        self._socket = sock
        self._buffer = b""
        self.closed = False
        self.released = False

    def read_request(self) -> Request | None:
        """The next request, or None when the client has nothing more to say."""
        head = self._read_head()
        if head is None:
            return None
        method, target, headers = _parse_head(head)
        body = self._read_body(_body_length(headers))
        path, _, query = target.partition("?")
        return None if body is None else Request(method, path, query, headers, body)

    def _read_head(self) -> bytes | None:
        while (end := self._buffer.find(b"\r\n\r\n")) < 0:
            if len(self._buffer) > MAX_HEAD_BYTES:
                raise MalformedRequest(431, "headers too large")
            if not self._receive():
                return None
        head, self._buffer = self._buffer[:end], self._buffer[end + 4 :]
        return head

    def _read_body(self, length: int) -> bytes | None:
        while len(self._buffer) < length:
            if not self._receive():
                return None
        body, self._buffer = self._buffer[:length], self._buffer[length:]
        return body

    def _receive(self) -> bool:
        piece = self._socket.recv(65536)
        self._buffer += piece
        return bool(piece)

    def write(self, data: bytes) -> None:
        self._socket.sendall(data)

    def hold(self, seconds: float) -> bool:
        """Say nothing for that long; False when the client left, or the server let go, before."""
        self._socket.settimeout(max(seconds, 0.001))
        try:
            return bool(self._socket.recv(1, socket.MSG_PEEK))
        except TimeoutError:
            return True
        except OSError:
            return False
        finally:
            self._restore_timeout()

    def _restore_timeout(self) -> None:
        if not self.closed:
            self._socket.settimeout(IDLE_SECONDS)

    def let_go(self) -> None:
        """Wake whoever waits on this socket: both directions end, the descriptor stays until its thread closes it."""
        self.released = True
        with suppress(OSError):  # the client was quicker
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.closed = True
        self._socket.close()

    def reset(self) -> None:
        """Close with RST instead of FIN."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()


def _parse_head(head: bytes) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        raise MalformedRequest(400, "not an HTTP/1.1 request line")
    parts = [line.partition(":") for line in lines]
    if not all(colon for _, colon, _ in parts):
        raise MalformedRequest(400, "a header line has no colon")
    return words[0], words[1], tuple((name.strip(), value.strip()) for name, _, value in parts)


def _body_length(headers: tuple[tuple[str, str], ...]) -> int:
    named = {key.lower(): value for key, value in headers}
    if "transfer-encoding" in named:
        raise MalformedRequest(411, "send a Content-Length")
    length = named.get("content-length", "0")
    if not (length.isascii() and length.isdigit()):
        raise MalformedRequest(400, "Content-Length is not a number")
    if int(length) > MAX_BODY_BYTES:
        raise MalformedRequest(413, "body too large")
    return int(length)
