"""Searching effects by our reference, or listing them: every page within bounds, and honest about gaps."""

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from systems.adapters.base import Found, Listing, Lookup, bytes_digest, canonical_digest
from systems.adapters.judging import page_of
from systems.adapters.replies import Page, excerpt, find
from systems.adapters.sending import Exchange
from systems.operations import SearchConfig

Ask = Callable[[str, bytes, float], Exchange]
_LINK = re.compile(r'<([^<>]*)>((?:\s*;\s*[\w*-]+\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^\s",;]+))?)*)\s*(?:,|$)')
_NEXT = re.compile(r';\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next(?=[\s;]|$))', re.IGNORECASE)


class _Gap(Exception):
    """The search cannot be completed; `fault` is a code."""

    def __init__(self, fault: str) -> None:
        super().__init__(fault)
        self.fault = fault


@dataclass
class Search:
    """One search: asks page after page with `ask(url, body, seconds)`, within `seconds` in total.

    `reference` is the one looked for; None lists whatever carries a reference at all.
    """

    config: SearchConfig
    reference: str | None
    url: str
    body: bytes
    ask: Ask
    seconds: float
    found: list[Found] = field(default_factory=list)
    shown: Exchange | None = None
    fault: str | None = None
    took: float = 0.0

    def lookup(self) -> Lookup:
        """What was found; `complete` only when the last page was reached without a fault."""
        self._run()
        return Lookup(
            found=tuple(self.found),
            complete=self.fault is None,
            fault=self.fault,
            excerpt=excerpt(self.shown.content, secrets=self.shown.secrets) if self.shown else "",
            body_digest=bytes_digest(self.shown.content) if self.shown else None,
            took=self.took,
        )

    def listing(self) -> Listing:
        """The same for a list, whose pages are too many to keep."""
        self._run()
        return Listing(tuple(self.found), self.fault is None, self.fault, self.took)

    def _run(self) -> None:
        started = time.monotonic()
        try:
            for exchange, page in self._pages(started + self.seconds):
                hits = self._hits(page)
                if hits or not self.found:
                    self.shown = exchange
                self.found.extend(hits)
        except _Gap as gap:
            self.fault = gap.fault
        self.took = time.monotonic() - started

    def _pages(self, ends_at: float) -> Iterator[tuple[Exchange, Page]]:
        step: tuple[str, bytes] | None = (self.url, self.body)
        seen: set[tuple[str, bytes]] = set()
        for number in range(self.config.page_limit):
            if step is None or step in seen:
                raise _Gap("paging")
            seen.add(step)
            exchange, page = self._page(*step, ends_at)
            yield exchange, page
            step = self._next(page, number)
            if step is None:
                return
        raise _Gap("too_many_pages")

    def _page(self, url: str, body: bytes, ends_at: float) -> tuple[Exchange, Page]:
        exchange = self.ask(url, body, ends_at - time.monotonic())
        if exchange.fault is not None or exchange.status is None:
            raise _Gap(exchange.fault or "protocol")
        page = page_of(exchange)
        if not page.readable:
            raise _Gap("unreadable")
        if self._is_missing(page) or self.config.found.judge(page.facts).holds:
            return exchange, page
        raise _Gap(f"status_{page.status}")

    def _is_missing(self, page: Page) -> bool:
        return self.config.missing is not None and self.config.missing.judge(page.facts).holds

    def _items(self, page: Page) -> list[Any]:
        if self._is_missing(page):
            return []
        there, items = find(self.config.items, page.body)
        if not there or not isinstance(items, (list, dict)):
            raise _Gap("unreadable")
        return items if isinstance(items, list) else [items]

    def _hits(self, page: Page) -> list[Found]:
        """The items that carry exactly our reference, R-1 and never R-10; for a list, those that carry any."""
        named = ((item, *find(self.config.reference, item)) for item in self._items(page))
        return [
            Found(reference, self._fields(item), canonical_digest(item))
            for item, there, reference in named
            if there and isinstance(reference, str) and reference and self.reference in (None, reference)
        ]

    def _fields(self, item: Any) -> Mapping[str, Any]:
        found = {name: find(pointer, item) for name, pointer in self.config.extract.items()}
        return {name: value for name, (there, value) in found.items() if there}

    def _next(self, page: Page, number: int) -> tuple[str, bytes] | None:
        """Address and body of the next page, or None after the last page."""
        if not self.config.next or self._is_missing(page):
            return None
        if "link" in self.config.next:
            url = self._linked(page)
            return (url, self.body) if url is not None else None
        kind, counter = next(iter(self.config.next.items()))
        if len(self._items(page)) < counter["size"]:
            return None
        first = counter.get("first", 1) if kind == "page" else 0
        value = first + (number + 1) * (1 if kind == "page" else counter["size"])
        if counter.get("in", "query") == "query":
            return _with_parameter(self.url, counter["parameter"], value), self.body
        return self.url, _with_member(self.body, counter["parameter"], value, form=self.config.request.form is not None)

    def _linked(self, page: Page) -> str | None:
        """The address the answer names, when it stays where the search began; anything else is a gap."""
        source = self.config.next["link"]
        link = _header_link(page) if source.lower() == "header:link" else _pointed(source, page)
        if link is None or link == "":
            return None
        if not isinstance(link, str) or not link.isascii() or not link.isprintable() or len(link) > 4000:
            raise _Gap("paging")
        try:
            url = urljoin(self.url, link)
            stays = _place(url) == _place(self.url)
        except ValueError as error:
            raise _Gap("paging") from error
        if not stays or "#" in url:
            raise _Gap("paging")
        return url


def _pointed(source: str, page: Page) -> Any:
    there, link = find(source, page.body)
    return link if there else None


def _header_link(page: Page) -> str | None:
    """The target of the one link whose relation is `next` (RFC 8288); None without one, a gap for what is no header."""
    rest, found = page.headers.get("link", "").strip(), []
    while rest:
        link = _LINK.match(rest)
        if link is None:
            raise _Gap("paging")
        if _NEXT.search(link[2]):
            found.append(link[1])
        rest = rest[link.end() :].strip()
    if len(set(found)) > 1:
        raise _Gap("paging")
    return found[0] if found else None


def _place(url: str) -> tuple[str, str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc, parts.path


def _with_parameter(url: str, name: str, value: int) -> str:
    parts = urlsplit(url)
    return parts._replace(query=_put(parts.query, name, value)).geturl()


def _put(encoded: str, name: str, value: int) -> str:
    pairs = [pair for pair in parse_qsl(encoded, keep_blank_values=True) if pair[0] != name]
    return urlencode([*pairs, (name, str(value))])


def _with_member(body: bytes, name: str, value: int, *, form: bool) -> bytes:
    """The same body, with the page it asks for."""
    if form:
        return _put(body.decode("ascii"), name, value).encode("ascii")
    document = {**json.loads(body), name: value}
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
