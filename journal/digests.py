"""What a digest is taken over: canonical bytes (RFC 8785), never a value that went through a database."""

import hashlib
import json
from typing import Any

import rfc8785

EXACT = 2**53 - 1  # the largest whole number that every reader of JSON reads exactly


def canonical(value: Any) -> bytes:
    """Return the one spelling of a JSON value (RFC 8785).

    Raises:
        ValueError: it cannot be spelt exactly — an integer beyond 2^53, NaN, infinity, a lone surrogate,
            or something that is not JSON.
    """
    try:
        if _plain(value):
            return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError) as error:
        raise ValueError(f"not canonical JSON: {error}") from error


def _plain(value: Any) -> bool:
    """Whether the standard encoder spells the value as RFC 8785 does: no float, and names that sort the same way."""
    if value is None or isinstance(value, str):
        return True
    if isinstance(value, int):
        return -EXACT <= value <= EXACT
    if isinstance(value, dict):
        return all(isinstance(name, str) and name.isascii() and _plain(part) for name, part in value.items())
    return isinstance(value, list | tuple) and all(map(_plain, value))


def sha256(data: bytes) -> str:
    """Return `sha256:<64 hexadecimal digits>` of the bytes."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def link(*, body: bytes) -> bytes:
    """Return the 32 bytes that the next entry of a chain names as its `previous`."""
    return hashlib.sha256(body).digest()


def salted(*, salt: bytes, content: bytes) -> str:
    """Return the digest that binds erasable content to an entry without revealing it."""
    return sha256(salt + content)
