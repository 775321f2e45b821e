"""Connections that are bounded in time, go only to checked addresses, and know whether a byte may have left."""

import contextlib
import queue
import re
import socket
import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol

import httpcore2

from systems.addresses import UnsafeAddress, checked_ip

MAX_ADDRESSES = 8
MAX_STALLED_LOOKUPS = 32
_INTERIM = re.compile(rb"HTTP/1\.[01] 1(?!01)\d\d[ \r\n]")
_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")


class NotResolved(Exception):
    """The host's name gave no address in time."""


class AddressRefused(Exception):
    """The host's name gave an address that the system may not have."""


class TooLate(Exception):
    """The deadline passed before a byte left."""


@dataclass
class Call:
    """One request on its way: its limits (seconds, monotonic), and what is known of its bytes."""

    ends_at: float
    connect_timeout: float
    allow_private: bool
    stage: str = "name"
    wrote: bool = False
    received: int = 0
    closed_by_peer: bool = False
    refused: bool = False
    heads: int | None = None  # bytes of the answer's head, and of interim heads before it, once they are whole
    _begun: bytearray = field(default_factory=bytearray, repr=False)

    def left(self, most: float | None = None) -> float:
        """Seconds until the end, at most `most`; never below zero."""
        left = max(0.0, self.ends_at - time.monotonic())
        return left if most is None else min(left, most)

    def took_in(self, content: bytes) -> None:
        """These bytes of the answer arrived; where its head ends is noted, to know what came beyond its body."""
        self.received += len(content)
        self.closed_by_peer = not content
        if self.heads is not None:
            return
        self._begun += content
        before = self.received - len(self._begun)
        while (end := _END_OF_HEAD.search(self._begun)) is not None:
            before += end.end()
            interim = _INTERIM.match(self._begun)
            del self._begun[: end.end()]
            if not interim:
                self.heads = before
                return


_CALL: ContextVar[Call] = ContextVar("call")


@contextlib.contextmanager
def under(call: Call) -> Iterator[Call]:
    """Connections made in this thread meanwhile obey `call`, and report to it."""
    token = _CALL.set(call)
    try:
        yield call
    finally:
        _CALL.reset(token)


class Wire(Protocol):
    """What stands between us and every connection of a context: a rehearsal cuts it, and bytes really stop."""

    def opening(self) -> None:
        """Called before a connection is made; may raise httpcore2.ConnectError."""

    def around(self, stream: httpcore2.NetworkStream) -> httpcore2.NetworkStream:
        """The stream to use instead of this one; its `start_tls` must keep the wire around what it returns."""


_WIRE: ContextVar[Wire | None] = ContextVar("wire", default=None)


@contextlib.contextmanager
def through(wire: Wire) -> Iterator[None]:
    """Connections made in this context meanwhile go through `wire`."""
    token = _WIRE.set(wire)
    try:
        yield
    finally:
        _WIRE.reset(token)


class BoundedStream(httpcore2.NetworkStream):
    """A stream whose reads and writes end with the whole call, not each after its own time."""

    def __init__(self, stream: httpcore2.NetworkStream, call: Call) -> None:
        self._stream = stream
        self._call = call

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        left = self._call.left(timeout)
        if left <= 0:
            raise httpcore2.ReadTimeout("the whole time is over")
        content = self._stream.read(max_bytes, left)
        self._call.took_in(content)
        return content

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """The first call here is the first byte of the request: before it, nothing was sent."""
        left = self._call.left(timeout)
        if left <= 0:
            raise httpcore2.WriteTimeout("the whole time is over") if self._call.wrote else TooLate
        self._call.stage, self._call.wrote = "exchange", True
        view = memoryview(buffer)
        while view:  # in pieces, so that a peer that reads slowly cannot stretch the total
            self._stream.write(bytes(view[:65536]), self._call.left(timeout) or 0.001)
            view = view[65536:]

    def close(self) -> None:
        self._stream.close()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        self._call.stage = "tls"
        left = self._call.left(self._call.connect_timeout)
        if left <= 0:
            raise TooLate
        return BoundedStream(self._stream.start_tls(ssl_context, server_hostname, left), self._call)


class CheckedBackend(httpcore2.SyncBackend):
    """Resolves by itself, checks every address, and connects to the address checked: a name cannot change between."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        call = _CALL.get()
        if call.left() <= 0:
            raise TooLate
        ends_at = time.monotonic() + call.left(call.connect_timeout)
        addresses = _checked(resolved(host, port, ends_at - time.monotonic()), call)
        call.stage = "connect"
        wire = _WIRE.get()
        if wire is not None:
            wire.opening()
        stream = self._first(call, addresses, port, ends_at, local_address, socket_options)
        return BoundedStream(wire.around(stream) if wire is not None else stream, call)

    def _first(
        self, call: Call, addresses: list[str], port: int, ends_at: float, *rest: Any
    ) -> httpcore2.NetworkStream:
        """The first address that takes the connection; all of them share one time limit."""
        problem: Exception = httpcore2.ConnectTimeout("no time was left to connect")
        for address in addresses:
            left = ends_at - time.monotonic()
            if left <= 0:
                break
            try:
                return super().connect_tcp(address, port, left, *rest)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                problem, call.refused = error, isinstance(error.__cause__, ConnectionRefusedError)
        raise problem


def _checked(addresses: list[str], call: Call) -> list[str]:
    """All the addresses, when every one may be used: a name that mixes good and bad ones is refused whole."""
    try:
        return [str(checked_ip(address, allow_private=call.allow_private)) for address in addresses]
    except UnsafeAddress as error:
        raise AddressRefused(str(error)) from error


_lookups = threading.BoundedSemaphore(MAX_STALLED_LOOKUPS)


def resolved(host: str, port: int, seconds: float) -> list[str]:
    """The addresses of a host, within `seconds`; NotResolved otherwise.

    getaddrinfo() cannot be given a time limit, so it runs in a thread of its own that is left behind when it stalls;
    a semaphore bounds how many can stall at once.
    """
    if _is_address(host):
        return [host]
    if not _lookups.acquire(blocking=False):
        raise NotResolved("too many name lookups are stalled")
    answers: queue.SimpleQueue[list[str] | OSError | UnicodeError] = queue.SimpleQueue()
    threading.Thread(target=_look_up, args=(host, port, answers), daemon=True, name="name-lookup").start()
    try:
        answer = answers.get(timeout=max(0.0, seconds))
    except queue.Empty as error:
        raise NotResolved("the name lookup took too long") from error
    if not isinstance(answer, list):
        raise NotResolved(str(answer)) from answer
    return answer


def _look_up(host: str, port: int, answers: queue.SimpleQueue[list[str] | OSError | UnicodeError]) -> None:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        answers.put(list(dict.fromkeys(str(entry[4][0]) for entry in found))[:MAX_ADDRESSES])
    except (OSError, UnicodeError) as error:
        answers.put(error)
    finally:
        _lookups.release()


def _is_address(host: str) -> bool:
    for family in (socket.AF_INET, socket.AF_INET6):
        with contextlib.suppress(OSError):
            socket.inet_pton(family, host)
            return True
    return False


def after_fork() -> None:
    """A forked child starts with every lookup free: the parent's threads do not exist in it."""
    global _lookups
    _lookups = threading.BoundedSemaphore(MAX_STALLED_LOOKUPS)
