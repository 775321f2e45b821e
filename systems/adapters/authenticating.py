"""Proving who asks, before a request is made: headers of the file, or a bearer token that is asked for and kept.

A token is fetched by an exchange of its own that ends before the request begins. Where it does not come, nothing of
the request was sent, and the caller says so. A 401 forgets the token and repeats nothing.
"""

import os
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from systems.adapters.judging import page_of
from systems.adapters.sending import Limits, exchange
from systems.configuration import SystemConfig
from systems.credentials import ClientCredentials

LONGEST = 86_400.0  # seconds: nobody's token is kept for more than a day
MOST = 8_000  # characters of a token


class NoToken(Exception):
    """No token came; nothing else was sent."""


@dataclass(frozen=True)
class Proof:
    """The headers that prove who asks, and every text to mask wherever it turns up."""

    headers: tuple[tuple[str, str], ...] = field(repr=False)
    secrets: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True)
class _Token:
    text: str
    ends_at: float  # monotonic


_tokens: dict[ClientCredentials, _Token] = {}
_lock = threading.Lock()


def proof(config: SystemConfig, *, seconds: float) -> Proof:
    """What the next request of this system carries, within `seconds`; raises NoToken."""
    credentials = config.credentials
    if credentials.client is None:
        return Proof(credentials.headers, credentials.secrets)
    token = _kept(credentials.client) or _fetched(config, credentials.client, seconds)
    return Proof((("Authorization", f"Bearer {token}"),), (*credentials.secrets, token))


def refused(config: SystemConfig, sent: Proof) -> None:
    """A 401 came: the token that was sent is not used again."""
    client = config.credentials.client
    with _lock:
        if client is not None and client in _tokens and _tokens[client].text in sent.secrets:
            del _tokens[client]


def _kept(client: ClientCredentials) -> str | None:
    with _lock:
        token = _tokens.get(client)
    return token.text if token and time.monotonic() < token.ends_at else None


def _fetched(config: SystemConfig, client: ClientCredentials, seconds: float) -> str:
    """A new token. No lock is held meanwhile: two threads may ask at once, and both answers are good."""
    began = time.monotonic()
    got = exchange(
        method="POST",
        url=client.url,
        headers=(("Accept-Encoding", "identity"), ("User-Agent", "Countersign"), *client.headers),
        body=client.body,
        limits=Limits(
            min(seconds, client.within.total_seconds()),
            config.timeouts.connect.total_seconds(),
            config.response_max_bytes,
            config.allow_private,
            config.ca_file,
        ),
    )
    if got.fault is not None or got.status != 200:
        raise NoToken
    page = page_of(got)
    text, lives = _read(page.body if page.readable else None)
    # Counted from before it was asked for: it may have been made at the first moment.
    with _lock:
        _tokens[client] = _Token(text, began + lives - client.margin.total_seconds())
    return text


def _read(body: Any) -> tuple[str, float]:
    """The token and the seconds it lives; one that does not say how long is used once."""
    if not isinstance(body, dict):
        raise NoToken
    text, kind, lives = body.get("access_token"), body.get("token_type"), body.get("expires_in", 0)
    if not isinstance(text, str) or not 0 < len(text) <= MOST or not text.isascii() or not text.isprintable():
        raise NoToken
    if " " in text or not isinstance(kind, str) or kind.lower() != "bearer":
        raise NoToken
    if isinstance(lives, bool) or not isinstance(lives, int | float):
        raise NoToken
    return text, float(min(max(lives, 0), LONGEST))


def _after_fork() -> None:
    """A forked child has its own lock, and asks for its own token."""
    global _lock
    _lock = threading.Lock()
    _tokens.clear()


os.register_at_fork(after_in_child=_after_fork)
