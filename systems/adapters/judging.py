"""What an answer to an order allows to be said: never more than a rule of the configuration that held."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from systems.adapters.base import Reply, bytes_digest
from systems.adapters.replies import Page, Pointer, excerpt, read_page
from systems.adapters.sending import Exchange
from systems.operations import DocumentedCode, WriteConfig


def reply_of(exchange: Exchange, *, write: WriteConfig) -> Reply:
    """The reply; an exchange that broke keeps its status and excerpt and is judged by no rule."""
    if exchange.fault is not None or exchange.status is None:
        return _broken(exchange)
    page = page_of(exchange)
    positive = 200 <= page.status < 300
    accepted = positive and (page.status == 202 or _holds(write.accepted, page))
    refusal = _refusal(write, page)
    return Reply(
        delivery=exchange.delivery,
        fault=None,
        status=page.status,
        content_type=page.headers.get("content-type", "")[:200],
        body_digest=bytes_digest(exchange.content),
        excerpt=excerpt(exchange.content, secrets=exchange.secrets),
        readable=page.readable,
        unreadable_because=page.unreadable_because,
        success=positive and page.readable and not accepted and _holds(write.success, page),
        accepted=accepted,
        refused=refusal is not None,
        not_processed=any(_applies(code, page) for code in write.not_processed),
        reference=_reference(write.reference, page) if positive else None,
        fields=extracted(write.extract, page) if positive else {},
        took=exchange.took,
        refusal=refusal.means if refusal else None,
    )


def page_of(exchange: Exchange) -> Page:
    """The page of a whole answer; one that is longer than it says has no one meaning."""
    page = read_page(exchange.status or 0, exchange.headers, exchange.content)
    return (
        replace(page, body=None, unreadable_because="The answer is longer than it says.") if exchange.excess else page
    )


def _broken(exchange: Exchange) -> Reply:
    kinds = [value.decode("latin-1") for name, value in exchange.headers if name.lower() == b"content-type"]
    return Reply(
        delivery=exchange.delivery,
        fault=exchange.fault,
        status=exchange.status,
        content_type=", ".join(kinds)[:200],
        body_digest=None,
        excerpt=excerpt(exchange.content, secrets=exchange.secrets),
        readable=False,
        unreadable_because="No whole answer arrived.",
        success=False,
        accepted=False,
        refused=False,
        not_processed=False,
        reference=None,
        fields={},
        took=exchange.took,
    )


def _holds(rule: Any, page: Page) -> bool:
    return rule is not None and rule.judge(page.facts).holds


def _refusal(write: WriteConfig, page: Page) -> DocumentedCode | None:
    """The declared refusal that the code *and* the body's shape match, if any."""
    if not page.readable:
        return None
    return next((code for code in write.definitive if _applies(code, page)), None)


def _applies(code: DocumentedCode, page: Page) -> bool:
    return code.status == page.status and (code.when is None or _holds(code.when, page))


def _reference(pointer: Pointer | None, page: Page) -> str | None:
    there, value = pointer.find(page) if pointer else (False, None)
    return value if there and isinstance(value, str) else None


def extracted(pointers: Mapping[str, Pointer], page: Page) -> dict[str, Any]:
    """The fields that are there; an absent one has no key."""
    found = {name: pointer.find(page) for name, pointer in pointers.items()}
    return {name: value for name, (there, value) in found.items() if there}
