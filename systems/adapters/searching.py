"""Searching effects by our reference: every page within bounds, exact matches only, and honest about gaps."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from systems.adapters.base import Found, Lookup, bytes_digest, canonical_digest
from systems.adapters.replies import Page, excerpt, find, read_page
from systems.adapters.sending import Exchange
from systems.operations import LookupConfig

Get = Callable[[str, float], Exchange]


class _Gap(Exception):
    """The search cannot be completed; `fault` is a code."""

    def __init__(self, fault: str) -> None:
        super().__init__(fault)
        self.fault = fault


@dataclass
class Search:
    """One search: asks page after page with `get(url, seconds)`, starting at `url`, within `seconds` in total."""

    config: LookupConfig
    reference: str
    url: str
    get: Get
    seconds: float
    secrets: tuple[str, ...]

    def run(self) -> Lookup:
        """What was found; `complete` only when the last page was reached without a fault."""
        started = time.monotonic()
        found: list[Found] = []
        shown: Exchange | None = None
        fault: str | None = None
        try:
            for exchange, page in self._pages(started + self.seconds):
                hits = self._hits(page)
                if hits or not found:
                    shown = exchange
                found.extend(hits)
        except _Gap as gap:
            fault = gap.fault
        return Lookup(
            found=tuple(found),
            complete=fault is None,
            fault=fault,
            excerpt=excerpt(shown.content, secrets=self.secrets) if shown else "",
            body_digest=bytes_digest(shown.content) if shown else None,
            took=time.monotonic() - started,
        )

    def _pages(self, ends_at: float) -> Any:
        url: str | None = self.url
        seen: set[str] = set()
        for number in range(self.config.page_limit):
            if url is None or url in seen:
                raise _Gap("paging")
            seen.add(url)
            exchange, page = self._page(url, ends_at)
            yield exchange, page
            url = self._next(page, number)
            if url is None:
                return
        raise _Gap("too_many_pages")

    def _page(self, url: str, ends_at: float) -> tuple[Exchange, Page]:
        exchange = self.get(url, ends_at - time.monotonic())
        if exchange.fault is not None or exchange.status is None:
            raise _Gap(exchange.fault or "protocol")
        page = read_page(exchange.status, exchange.headers, exchange.content)
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
        """The items that carry exactly our reference: R-1 is never R-10."""
        return [
            Found(self.reference, self._fields(item), canonical_digest(item))
            for item in self._items(page)
            if find(self.config.reference, item) == (True, self.reference)
        ]

    def _fields(self, item: Any) -> Mapping[str, Any]:
        found = {name: find(pointer, item) for name, pointer in self.config.extract.items()}
        return {name: value for name, (there, value) in found.items() if there}

    def _next(self, page: Page, number: int) -> str | None:
        """The next page's address, or None after the last page."""
        if not self.config.next or self._is_missing(page):
            return None
        if "link" in self.config.next:
            return self._linked(page)
        kind, counter = next(iter(self.config.next.items()))
        if len(self._items(page)) < counter["size"]:
            return None
        first = counter.get("first", 1) if kind == "page" else 0
        step = 1 if kind == "page" else counter["size"]
        return _with_parameter(self.url, counter["parameter"], first + (number + 1) * step)

    def _linked(self, page: Page) -> str | None:
        """The address the answer names, when it stays where the search began; anything else is a gap."""
        there, link = find(self.config.next["link"], page.body)
        if not there or link is None or link == "":
            return None
        if not isinstance(link, str) or not link.isascii() or not link.isprintable() or len(link) > 4000:
            raise _Gap("paging")
        url = urljoin(self.url, link)
        if _place(url) != _place(self.url) or "#" in url:
            raise _Gap("paging")
        return url


def _place(url: str) -> tuple[str, str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc, parts.path


def _with_parameter(url: str, name: str, value: int) -> str:
    parts = urlsplit(url)
    query = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] != name]
    return parts._replace(query=urlencode([*query, (name, str(value))])).geturl()
