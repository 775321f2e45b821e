"""Where a check works: servers of bytes that end with it, and an adapter pointed at them."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

from systems.adapters.base import Adapter, Order, Reply
from systems.conformance.bytesserver import Behaviour, RawServer
from systems.conformance.subjects import Subject

SECONDS = 0.3  # what is left of the deadline, in every check that does not say otherwise


class NotConforming(AssertionError):
    """An adapter breaks a promise; the text is a sentence."""


def require(holds: bool, words: str) -> None:
    """The promise is kept, or NotConforming says which."""
    if not holds:
        raise NotConforming(words)


class Bench:
    """One subject at work; see `bench()`."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self._servers: list[RawServer] = []

    def serve(self, behaviour: Behaviour) -> RawServer:
        """A server on loopback that treats every connection like this."""
        self._servers.append(RawServer(behaviour))
        return self._servers[-1]

    def closed(self) -> str:
        """An address where nobody listens."""
        with socket.create_server(("127.0.0.1", 0)) as taken:
            return f"http://127.0.0.1:{taken.getsockname()[1]}"

    def adapter(self, server: RawServer | str = "http://127.0.0.1:9") -> Adapter:
        """A new adapter that speaks to the server."""
        return self.subject.connect(server if isinstance(server, str) else server.url())

    def order(self) -> Order:
        """A new order."""
        return self.subject.order()

    def submit(self, server: RawServer | str, *, seconds: float = SECONDS) -> Reply:
        """A new order is handed over to the server."""
        adapter = self.adapter(server)
        return adapter.submit(adapter.prepare(self.order()), seconds_left=seconds)

    def has(self, part: str) -> bool:
        """Whether the operation has this part."""
        return self.adapter().config.operations[self.order().operation].has(part)

    def close(self) -> None:
        for server in self._servers:
            server.close()


@contextmanager
def bench(subject: Subject) -> Iterator[Bench]:
    """A bench whose servers end with it."""
    made = Bench(subject)
    try:
        yield made
    finally:
        made.close()
