"""One request, one connection, one answer or one fault: nothing is retried, followed or inflated."""

import http.cookiejar
import os
import ssl
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import httpcore2
import httpx2

from systems.adapters import connecting
from systems.adapters.base import Delivery
from systems.adapters.connecting import AddressRefused, Call, NotResolved, TooLate

MAX_HEADERS = 200


@dataclass(frozen=True)
class Limits:
    """The bounds of one exchange: `seconds` in total, `connect` for name, connection and TLS, bytes of the body."""

    seconds: float
    connect: float
    response_max_bytes: int
    allow_private: bool
    ca_file: str | None = None


@dataclass(frozen=True)
class Exchange:
    """What happened: a fault, or a whole answer; `content` is what was read, even of a broken answer.

    `excess` is true when more arrived than the answer's own length: then it has no one meaning. `secrets` are to be
    masked wherever the answer is shown.
    """

    delivery: Delivery
    fault: str | None
    status: int | None
    headers: tuple[tuple[bytes, bytes], ...]
    content: bytes
    took: float
    excess: bool = False
    secrets: tuple[str, ...] = field(default=(), repr=False)


class _Refused(Exception):
    """The answer breaks a rule of ours; the text is the fault's code."""


class _Wire(httpx2.BaseTransport):
    """httpx2's transport on our own connections; unlike the stock one it takes the network backend openly."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._pool = httpcore2.ConnectionPool(
            ssl_context=context,
            max_connections=None,
            max_keepalive_connections=0,
            retries=0,
            http2=False,
            network_backend=connecting.CheckedBackend(),
        )

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        url = request.url
        answer = self._pool.handle_request(
            httpcore2.Request(
                method=request.method,
                url=httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        return httpx2.Response(status_code=answer.status, headers=answer.headers, stream=_Body(answer))


class _Body(httpx2.SyncByteStream):
    """The raw bytes of an answer, as they come."""

    def __init__(self, answer: httpcore2.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        yield from self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()


_clients: dict[str | None, httpx2.Client] = {}
_lock = threading.Lock()


def _client(ca_file: str | None) -> httpx2.Client:
    """The process's client (one for each certificate authority file), its TLS context made once."""
    with _lock:
        if ca_file not in _clients:
            no_cookies = http.cookiejar.CookieJar(http.cookiejar.DefaultCookiePolicy(allowed_domains=[]))
            _clients[ca_file] = httpx2.Client(
                transport=_Wire(_context(ca_file)), trust_env=False, follow_redirects=False, cookies=no_cookies
            )
        return _clients[ca_file]


@lru_cache(maxsize=16)
def _context(ca_file: str | None) -> ssl.SSLContext:
    if ca_file is None:
        return httpx2.create_ssl_context(trust_env=False)
    return ssl.create_default_context(cafile=ca_file)


def _after_fork() -> None:
    """A forked child makes its own client: connections and locks of the parent are not its own."""
    global _lock
    _lock = threading.Lock()
    _clients.clear()
    connecting.after_fork()


os.register_at_fork(after_in_child=_after_fork)


def exchange(*, method: str, url: str, headers: tuple[tuple[str, str], ...], body: bytes, limits: Limits) -> Exchange:
    """The request is made once; whatever happens comes back as a value.

    `Connection: close` makes the HTTP machinery itself refuse to use the connection again.
    """
    started = time.monotonic()
    call = Call(started + limits.seconds, limits.connect, limits.allow_private)
    sent_headers = [*headers, ("Connection", "close")]
    content = bytearray()
    status: int | None = None
    seen: tuple[tuple[bytes, bytes], ...] = ()
    fault: str | None = None
    try:
        request = httpx2.Request(method, url, headers=sent_headers, content=body or None, extensions=_timeouts(limits))
        with connecting.under(call):
            answer = _client(limits.ca_file).send(request, stream=True)
            try:
                status, seen = answer.status_code, tuple(answer.headers.raw)
                _check_framing(answer)
                _read(answer, content, limits.response_max_bytes)
            finally:
                answer.close()
    except Exception as error:  # noqa: BLE001 - any failure at all must come back as what is known of the bytes
        fault = _fault(error, call)
    delivery = _delivery(fault, call)
    excess = _exceeds(seen, call) if fault is None else False
    return Exchange(delivery, fault, status, seen, bytes(content), time.monotonic() - started, excess)


def _timeouts(limits: Limits) -> dict[str, dict[str, float]]:
    return {"timeout": {"connect": limits.connect, "read": limits.seconds, "write": limits.seconds, "pool": 1.0}}


def _delivery(fault: str | None, call: Call) -> Delivery:
    if fault is None:
        return Delivery.ANSWERED
    return Delivery.MAYBE_SENT if call.wrote else Delivery.NEVER_SENT


def _exceeds(headers: tuple[tuple[bytes, bytes], ...], call: Call) -> bool:
    """Whether bytes came along beyond the body that the answer announced."""
    lengths = [value for name, value in headers if name.lower() == b"content-length"]
    return bool(lengths) and call.heads is not None and call.received - call.heads > int(lengths[0].split(b",")[0])


def _check_framing(answer: httpx2.Response) -> None:
    """An answer must say in one way how long it is and come as it is: a cut one would otherwise pass for whole."""
    if answer.status_code < 200:
        raise _Refused("protocol")
    if len(answer.headers.raw) > MAX_HEADERS:
        raise _Refused("headers")
    if "content-length" in answer.headers and "transfer-encoding" in answer.headers:
        raise _Refused("protocol")
    if answer.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise _Refused("encoding")
    framed = "content-length" in answer.headers or "chunked" in answer.headers.get("transfer-encoding", "").lower()
    if not framed and answer.status_code not in {204, 304}:
        raise _Refused("no_length")


def _read(answer: httpx2.Response, content: bytearray, most: int) -> None:
    for piece in answer.stream:  # type: ignore[union-attr]  # a synchronous client gives a synchronous stream
        content += piece[: most + 1 - len(content)]
        if len(content) > most:
            del content[most:]
            raise _Refused("oversize")


def _fault(error: Exception, call: Call) -> str:
    """The code of a failure; what the bytes did is read from the call, never from the exception's words."""
    match error:
        case _Refused():
            return str(error)
        case TooLate():
            return "too_late"
        case NotResolved():
            return "dns"
        case AddressRefused():
            return "address"
    if not call.wrote:
        return _fault_before(error, call)
    return _fault_after(error, call)


def _fault_before(error: Exception, call: Call) -> str:
    if isinstance(error, httpcore2.TimeoutException):
        return "connect_timeout"
    if call.stage == "tls":
        return "tls"
    if call.refused:
        return "connect_refused"
    return "connect_failed" if isinstance(error, httpcore2.NetworkError) else "not_sent"


def _fault_after(error: Exception, call: Call) -> str:
    match error:
        case httpcore2.ReadTimeout():
            return "read_timeout"
        case httpcore2.TimeoutException():
            return "write_timeout"
        case httpcore2.NetworkError():
            return "reset"
    if call.closed_by_peer:
        return "truncated" if call.received else "closed"
    return "protocol"
