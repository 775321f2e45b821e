"""What a digest is taken over: canonical bytes (RFC 8785), never a value that went through a database."""

import hashlib
from typing import Any

import rfc8785


def canonical(value: Any) -> bytes:
    """Return the one spelling of a JSON value (RFC 8785).

    Raises:
        ValueError: it cannot be spelt exactly — an integer beyond 2^53, NaN, infinity, a lone surrogate,
            or something that is not JSON.
    """
    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError) as error:
        raise ValueError(f"not canonical JSON: {error}") from error


def sha256(data: bytes) -> str:
    """Return `sha256:<64 hexadecimal digits>` of the bytes."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def link(*, body: bytes) -> bytes:
    """Return the 32 bytes that the next entry of a chain names as its `previous`."""
    return hashlib.sha256(body).digest()


def salted(*, salt: bytes, content: bytes) -> str:
    """Return the digest that binds erasable content to an entry without revealing it."""
    return sha256(salt + content)
