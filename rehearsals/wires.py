"""The wire between a rehearsal and the business system: it is cut at an exact step, and bytes really stop."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

import httpcore2

from systems.adapters.base import (
    Adapter,
    Listing,
    Lookup,
    Missing,
    Observation,
    Order,
    Prepared,
    Preview,
    Reply,
    Unreachable,
)
from systems.adapters.connecting import through
from systems.configuration import SystemConfig

BEGUN = 20  # bytes of an answer that still come through


class Cut(StrEnum):
    """Where the wire of a hand-over is cut."""

    BEFORE_CONNECTING = "before_connecting"
    WHILE_SENDING = "while_sending"
    BEFORE_THE_ANSWER = "before_the_answer"
    IN_THE_ANSWER = "in_the_answer"


@dataclass
class CutWire:
    """The wire of one call."""

    cut: Cut

    def opening(self) -> None:
        """Nobody listens, where the cut comes before everything."""
        if self.cut is Cut.BEFORE_CONNECTING:
            raise httpcore2.ConnectError("the rehearsal lets no connection through")

    def around(self, stream: httpcore2.NetworkStream) -> httpcore2.NetworkStream:
        """The stream that ends at the cut."""
        return _CutStream(stream, self.cut)


class _CutStream(httpcore2.NetworkStream):
    def __init__(self, stream: httpcore2.NetworkStream, cut: Cut) -> None:
        self._stream, self._cut, self._ended = stream, cut, False

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if self._cut is not Cut.WHILE_SENDING:
            self._stream.write(buffer, timeout)
            return
        self._stream.write(buffer[: len(buffer) // 2], timeout)
        self._stream.close()
        raise httpcore2.WriteError("the rehearsal cut the wire while the request was being sent")

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._ended:
            return b""
        content = self._stream.read(max_bytes, timeout)
        if self._cut is Cut.BEFORE_THE_ANSWER:
            self._stream.close()
            raise httpcore2.ReadError("the rehearsal cut the wire before the answer")
        if self._cut is Cut.IN_THE_ANSWER:
            self._ended = True
            self._stream.close()
            return content[:BEGUN]
        return content

    def close(self) -> None:
        self._stream.close()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return _CutStream(self._stream.start_tls(ssl_context, server_hostname, timeout), self._cut)


@dataclass
class Played:
    """An adapter as a rehearsal plays with it: the next hand-over is cut, altered or held; looks can be altered."""

    inner: Adapter
    cut: Cut | None = None
    seen: Callable[[Observation], Observation] | None = None  # what a look shows
    ordered: Callable[[Order], Order] | None = None  # what is prepared
    answered: Callable[[], None] | None = None  # called when an answer is there, before anybody reads it
    prepared: list[Prepared] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)

    @property
    def config(self) -> SystemConfig:
        """The system's own."""
        return self.inner.config

    def resolve(self, operation: str, target: str | None) -> Observation | Missing | Unreachable:
        """As the system says it, or as it would after a change there."""
        shown = self.inner.resolve(operation, target)
        return self.seen(shown) if self.seen and isinstance(shown, Observation) else shown

    def preview(self, order: Order) -> Preview | Unreachable:
        """Unchanged."""
        return self.inner.preview(order)

    def prepare(self, order: Order) -> Prepared:
        """The request of the order, or of the altered one."""
        return self.inner.prepare(self.ordered(order) if self.ordered else order)

    def submit(self, prepared: Prepared, *, seconds_left: float) -> Reply:
        """Handed over once, through the wire as it is cut now; whole again for the next."""
        self.prepared.append(prepared)
        cut, self.cut = self.cut, None
        if cut is None:
            reply = self.inner.submit(prepared, seconds_left=seconds_left)
        else:
            with through(CutWire(cut)):
                reply = self.inner.submit(prepared, seconds_left=seconds_left)
        self.replies.append(reply)
        if self.answered is not None:
            self.answered()
        return reply

    def lookup(self, order: Order) -> Lookup:
        """Unchanged."""
        return self.inner.lookup(order)

    def list(self, operation: str, *, since: datetime, until: datetime) -> Listing:
        """Unchanged."""
        return self.inner.list(operation, since=since, until=until)

    def cancel(self, order: Order, fields: Any) -> Reply:
        """Unchanged."""
        return self.inner.cancel(order, fields)

    def person_url(self, operation: str, about: Any) -> str | None:
        """Unchanged."""
        return self.inner.person_url(operation, about)


def moved_on(seen: Observation) -> Observation:
    """The target as it would be shown after somebody changed it: 7 becomes 8, a text another text."""
    version = seen.version + 1 if isinstance(seen.version, int) else f"{seen.version}-moved-on"
    return replace(seen, version=version, digest=seen.digest[:-4] + "0000")


def until(holds: Callable[[], bool], *, seconds: float, every: float = 0.1) -> bool:
    """Whether it held within so many seconds."""
    ends = time.monotonic() + seconds
    while not holds():
        if time.monotonic() >= ends:
            return False
        time.sleep(min(every, max(0.0, ends - time.monotonic())))
    return True
