"""How a business system tells results by itself: whose signature counts, and where the facts stand in its message."""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from systems.adapters.judging import extracted
from systems.adapters.replies import Page, Pointer, read_page
from systems.cel import Rule

JSON = ((b"content-type", b"application/json"),)
SHORTEST = 16  # characters of a secret


class Unreadable(ValueError):
    """A signed message that does not say what it must; the text is a sentence."""


@dataclass(frozen=True)
class CallbackConfig:
    """What makes a message true. `secrets` are the keys of this system, one for each organization, by its slug.

    `success` says that a message tells of an effect, `refused` (with its source) that there is definitively none;
    whatever neither holds for is a claim to be looked up. `tolerance` is how far the sender's clock may be off.
    """

    secrets: Mapping[str, bytes] = field(repr=False)
    tolerance: timedelta
    reference: Pointer
    event_time: Pointer | None
    extract: Mapping[str, Pointer]
    success: Rule
    refused: Rule | None


@dataclass(frozen=True)
class News:
    """One message, read: `reference` is our own as text, `event_at` when it was so by the sender's clock."""

    reference: str
    event_at: datetime
    success: bool
    refused: bool
    fields: Mapping[str, Any]


def key_of(secret: str) -> bytes:
    """The key of a Standard Webhooks secret (`whsec_` and base64), or the bytes of any other; ValueError if bad."""
    if not secret.startswith("whsec_"):
        return secret.encode()
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error as error:
        raise ValueError("a secret that begins with whsec_ goes on in base64.") from error


def signer(config: CallbackConfig, *, identifier: str, timestamp: str, signatures: str, body: bytes) -> str | None:
    """The organization whose key made one of the signatures (`v1,<base64>`, several with a space between), or None.

    Standard Webhooks: HMAC-SHA256 over id, timestamp and body, with a full stop between.
    """
    given = [one.removeprefix("v1,") for one in signatures.split(" ")[:10] if one.startswith("v1,")]
    signed = f"{identifier}.{timestamp}.".encode() + body
    whose = None
    for organization, key in config.secrets.items():
        expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        if any(hmac.compare_digest(expected, one.encode()) for one in given):
            whose = organization
    return whose


def read_news(config: CallbackConfig, body: bytes, *, sent_at: datetime) -> News:
    """What a true message says. Raises Unreadable."""
    page = read_page(200, JSON, body)
    if not page.readable:
        raise Unreadable(page.unreadable_because or "")
    found, reference = config.reference.find(page)
    if not found or not isinstance(reference, str):
        raise Unreadable("The message names no reference.")
    return News(
        reference=reference,
        event_at=_event_time(config, page, sent_at),
        success=config.success.judge(page.facts).holds,
        refused=config.refused is not None and config.refused.judge(page.facts).holds,
        fields=extracted(config.extract, page),
    )


def _event_time(config: CallbackConfig, page: Page, sent_at: datetime) -> datetime:
    if config.event_time is None:
        return sent_at
    found, value = config.event_time.find(page)
    try:
        if found and isinstance(value, str):
            moment = datetime.fromisoformat(value)
            if moment.tzinfo is not None:
                return moment.astimezone(UTC)
        if found and isinstance(value, int) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    raise Unreadable("The message tells no time of its event, with its zone.")
