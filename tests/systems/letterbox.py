"""A small adapter in Python, as somebody else would write it: a system that takes and answers lines of text."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

from systems.adapters.base import (
    CannotPrepare,
    Delivery,
    Found,
    Listing,
    Lookup,
    Missing,
    Observation,
    Order,
    Prepared,
    Preview,
    Reply,
    UnknownOperation,
    Unreachable,
    bytes_digest,
    canonical_digest,
)
from systems.adapters.replies import excerpt
from systems.adapters.sending import Exchange, Limits, exchange
from systems.configuration import SystemConfig
from systems.conformance.bytesserver import reply

CONFIGURATION = """
name: letters
title: {en: Letters, fr: Courrier}
adapter: letterbox
options: {box: main}
base_url: BASE_URL
hosts: [127.0.0.1]
allow_private: true
authentication: {header: {name: X-Key, value: {env: LETTERS_KEY}}}
attempt_deadline: PT1S
timeouts: {connect: PT0.4S, resolve: PT0.4S, lookup: PT0.4S}
capabilities:
  echo: {value: true, source: documented}
  lookup_by_reference: {value: true, source: documented}
operations:
  post:
    by_adapter: [target, submit, lookup]
"""


@dataclass(frozen=True)
class Letterbox:
    """One text line each way: `ref id` for each letter, `no` for none."""

    config: SystemConfig

    def __post_init__(self) -> None:
        if set(self.config.options) != {"box"}:
            raise ValueError("options: a letterbox needs its box, and nothing else.")

    def resolve(self, operation: str, target: str | None) -> Observation | Missing | Unreachable:
        lines = self._lines(self._ask("GET", f"/people/{quote(target or '', safe='')}"))
        if lines == ["no"]:
            return Missing("Nobody of that name.")
        if lines is None or len(lines) != 1 or lines[0].count(" ") != 1:
            return Unreachable("The letterbox did not answer with a line.")
        name, version = lines[0].split(" ")
        return Observation(str(target), name, "open", version, "A", {}, canonical_digest(lines))

    def preview(self, order: Order) -> Preview | Unreachable:
        raise UnknownOperation("A letterbox shows nothing beforehand.")

    def prepare(self, order: Order) -> Prepared:
        body = f"{order.reference} {order.arguments.get('text', '')}".encode()
        if b"\n" in body or order.target in (None, "", ".", ".."):
            raise CannotPrepare("A letter has one line and a person.")
        url = f"{self.config.base_url}/{self.config.options['box']}/{quote(order.target or '', safe='')}"
        return Prepared("POST", url, (("Content-Type", "text/plain"),), body, bytes_digest(url.encode() + body), "post")

    def submit(self, prepared: Prepared, *, seconds_left: float) -> Reply:
        got = self._ask(prepared.method, prepared.url, prepared.headers, prepared.body, seconds=seconds_left)
        lines = self._lines(got) if got.status == 201 else None
        reference, _, number = lines[0].partition(" ") if lines else ("", "", "")
        return Reply(
            delivery=got.delivery,
            fault=got.fault,
            status=got.status,
            content_type="",
            body_digest=bytes_digest(got.content) if got.fault is None else None,
            excerpt=excerpt(got.content, secrets=self.config.credentials.secrets),
            readable=lines is not None,
            unreadable_because=None if lines else "No line of text.",
            success=bool(reference and number),
            accepted=got.status == 202,
            refused=False,
            not_processed=False,
            reference=reference or None,
            fields={"number": number} if number else {},
            took=got.took,
        )

    def lookup(self, order: Order) -> Lookup:
        got = self._ask("GET", f"/{self.config.options['box']}?ref={order.reference}")
        lines = self._lines(got) if got.status == 200 else None
        pairs = [line.split(" ") for line in lines or [] if line != "no"]
        ours = [pair for pair in pairs if pair[0] == order.reference]
        hits = tuple(Found(pair[0], {"number": pair[1]}, canonical_digest(pair)) for pair in ours)
        return Lookup(hits, lines is not None, None if lines is not None else "unreadable", "", None, got.took)

    def list(self, operation: str, *, since: datetime, until: datetime) -> Listing:
        return Listing((), False, "not_declared", 0.0)

    def cancel(self, order: Order, fields: Mapping[str, Any]) -> Reply:
        raise UnknownOperation("A letter that is posted is posted.")

    def person_url(self, operation: str, about: Mapping[str, Any] | str | None) -> str | None:
        return None

    def _ask(
        self,
        method: str,
        where: str,
        headers: tuple[tuple[str, str], ...] = (),
        body: bytes = b"",
        *,
        seconds: float = 0.4,
    ) -> Exchange:
        url = where if where.startswith("http") else self.config.base_url + where
        limits = Limits(seconds, 0.4, self.config.response_max_bytes, self.config.allow_private)
        return exchange(
            method=method, url=url, headers=(*headers, *self.config.credentials.headers), body=body, limits=limits
        )

    def _lines(self, got: Exchange) -> Any:
        """The lines of a whole answer in plain text, or None."""
        kinds = [value for name, value in got.headers if name.lower() == b"content-type"]
        whole = got.delivery is Delivery.ANSWERED and got.fault is None and not got.excess and got.status in (200, 201)
        if not whole or kinds != [b"text/plain"] or not got.content.isascii():
            return None
        return got.content.decode().splitlines() or None


def letter() -> Order:
    """A letter to somebody."""
    return Order("post", {"text": "hello"}, "T-1", None, str(uuid.uuid4()), "queue")


def results(references: Sequence[str]) -> bytes:
    """The whole answer to a search."""
    lines = "\n".join(f"{one} L-1" for one in references if one and " " not in one) or "no"
    return reply(lines.encode(), kind="text/plain")
