"""One request and its answer in the hands of a fault mode: do the business, send, hold, hang up."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sandbox import routing
from sandbox.calls import PLAIN, Twist
from sandbox.deferring import Deferred
from sandbox.routing import Route
from sandbox.storing import Store
from sandbox.wire import Connection, Reply, Request

STRANGER = "5f1d7c0e-0000-4000-8000-57a26e57a26e"  # the client reference of somebody who never asked anything here


@dataclass
class Seat:
    """One waiting answer, and the one it is exchanged for."""

    mine: Reply
    other: Reply | None = None


@dataclass
class Crossroads:
    """Where two concurrent answers meet and go home with the wrong partner."""

    meeting: threading.Condition = field(default_factory=threading.Condition)
    waiting: list[Seat] = field(default_factory=list)

    def swap(self, mine: Reply, seconds: float) -> Reply | None:
        """The other request's answer; None when nobody came in that time."""
        with self.meeting:
            if self.waiting:
                other = self.waiting.pop()
                other.other = mine
                self.meeting.notify_all()
                return other.mine
            seat = Seat(mine)
            self.waiting.append(seat)
            self.meeting.wait_for(lambda: seat.other is not None, seconds)
            if seat.other is None:
                self.waiting.remove(seat)
            return seat.other


@dataclass
class Exchange:
    """What a mode works with; `values` are the parameters of the fault in force."""

    request: Request
    route: Route | None
    connection: Connection
    store: Store
    deferred: Deferred
    crossroads: Crossroads
    hold: Callable[[Connection, float], bool]
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def reads(self) -> bool:
        return self.request.method == "GET"

    def perform(self, twist: Twist = PLAIN) -> Reply:
        """Do the business now; whatever effect it has is in the ledger when this returns."""
        return routing.handle(self.store, self.request, twist)

    def send(self, reply: Reply) -> None:
        closing = (self.request.header("Connection") or "").lower() == "close"
        self.connection.write(reply.with_headers(self.values.get("headers", {})).wire(closing=closing))
        if closing:
            self.connection.close()

    def send_last(self, data: bytes) -> None:
        """Send bytes whose end the client cannot know, so that nothing may follow them."""
        self.connection.write(data)
        self.connection.close()

    def wait(self, seconds: float) -> bool:
        """Say nothing for that long; False when the client left before."""
        return self.hold(self.connection, seconds)

    def hang_up(self) -> None:
        self.connection.close()


def altered(reply: Reply, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Reply:
    """The same answer with the thing it shows, or every thing it lists, changed; refusals stay as they are."""
    if not reply.ok or not isinstance(reply.document, dict):
        return reply
    if "items" in reply.document:
        return replace(reply, document={**reply.document, "items": [change(item) for item in reply.document["items"]]})
    return replace(reply, document=change(reply.document))
