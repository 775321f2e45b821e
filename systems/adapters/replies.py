"""Reading replies strictly: one meaning or none, and an excerpt that is safe to show."""

import json
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

MAX_DEPTH = 32
EXCERPT = 2_000
MASK = "•••"

_SECRET_FIELD = re.compile(
    r"""(?ix) ((?:authorization|passw(?:or)?d|secret|token|api[_-]?key|private[_-]?key)
        [\w.-]{0,40} ["']? \s{0,4}[:=]\s{0,4})
        ("(?:[^"\\]|\\.)*"? | '[^']*'? | (?:bearer|basic)\s+\S+ | [^\s,;&"'<>}]+)"""
)
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}")


class Unreadable(Exception):
    """The body has no single meaning; the text is a sentence."""


@dataclass(frozen=True)
class Page:
    """A whole answer: `body` is the decoded JSON, or None with the reason why there is none."""

    status: int
    headers: Mapping[str, str]
    body: Any
    unreadable_because: str | None

    @property
    def readable(self) -> bool:
        return self.unreadable_because is None

    @property
    def facts(self) -> dict[str, Any]:
        """What rules are judged over."""
        return {"status": self.status, "headers": dict(self.headers), "body": self.body}


def read_page(status: int, headers: Iterable[tuple[bytes, bytes]], content: bytes) -> Page:
    """The answer, its body decoded when it is unambiguous JSON of at most 32 levels."""
    seen = _headers(headers)
    try:
        return Page(status, seen, _body(seen.get("content-type", ""), content), None)
    except Unreadable as error:
        return Page(status, seen, None, str(error))


def _headers(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    seen: dict[str, str] = {}
    for raw_name, raw_value in headers:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        seen[name] = f"{seen[name]}, {value}" if name in seen else value
    return seen


def _body(content_type: str, content: bytes) -> Any:
    if not content:
        raise Unreadable("The answer has no body.")
    kind, _, parameters = content_type.partition(";")
    kind = kind.strip().lower()
    if kind != "application/json" and not re.fullmatch(r"application/[a-z0-9.-]+\+json", kind):
        raise Unreadable("The answer is not JSON by its content type.")
    charset = re.search(r"charset\s*=\s*\"?([\w-]+)", parameters, re.IGNORECASE)
    if charset and charset[1].lower() not in {"utf-8", "utf8"}:
        raise Unreadable("The answer is not in UTF-8.")
    return strict_json(content)


def strict_json(content: bytes) -> Any:
    """The decoded document; Unreadable for invalid or ambiguous JSON: duplicate keys, NaN, surrogates, a BOM, depth."""
    try:
        msgspec.json.decode(content)  # refuses surrogates, bad UTF-8, a BOM and overflowing floats
        value = _DECODER.decode(content.decode("utf-8"))
    except _Twice as error:
        raise Unreadable("The answer says the same key twice.") from error
    except (ValueError, RecursionError, msgspec.MsgspecError) as error:
        raise Unreadable("The answer is not valid JSON.") from error
    if _depth_beyond(value, MAX_DEPTH):
        raise Unreadable(f"The answer is nested deeper than {MAX_DEPTH} levels.")
    return value


class _Twice(ValueError):
    """A key stands twice in one object."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen = dict(pairs)
    if len(seen) != len(pairs):
        raise _Twice
    return seen


def _constant(name: str) -> Any:
    raise ValueError(name)


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float)


def _depth_beyond(value: Any, levels: int) -> bool:
    if not isinstance(value, (dict, list)):
        return False
    if levels == 0:
        return True
    return any(_depth_beyond(item, levels - 1) for item in (value.values() if isinstance(value, dict) else value))


@dataclass(frozen=True)
class Pointer:
    """Where a value stands in an answer: a JSON Pointer into the body, or one header."""

    source: str

    def find(self, page: Page) -> tuple[bool, Any]:
        """Whether it is there, and the value; an entity tag comes without its quotes."""
        if self.source.startswith("header:"):
            value = page.headers.get(self.source.removeprefix("header:").lower())
            return value is not None, _unquoted_tag(value) if value is not None else None
        return find(self.source, page.body) if page.readable else (False, None)


def find(pointer: str, document: Any) -> tuple[bool, Any]:
    """Whether the JSON Pointer (RFC 6901) leads somewhere in the document, and the value there."""
    value = document
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and re.fullmatch(r"0|[1-9]\d{0,6}", key, re.ASCII) and int(key) < len(value):
            value = value[int(key)]
        else:
            return False, None
    return True, value


def _unquoted_tag(value: str) -> str:
    found = re.fullmatch(r'(?:W/)?"([^"]*)"', value.strip())
    return found[1] if found else value.strip()


def excerpt(content: bytes, *, secrets: tuple[str, ...] = ()) -> str:
    """The first 2,000 characters of an answer, secrets and control characters masked: to store, never to trust."""
    text = content[: EXCERPT * 4].decode("utf-8", "replace")
    for secret in secrets:
        text = text.replace(secret, MASK)
    text = _BEARER.sub(lambda found: f"{found[1]} {MASK}", _SECRET_FIELD.sub(lambda found: found[1] + MASK, text))
    return shown(text, EXCERPT)


def shown(text: str, limit: int) -> str:
    """The text without anything invisible or reordering, at most `limit` characters."""
    return "".join(char if _visible(char) else "\N{REPLACEMENT CHARACTER}" for char in text[:limit])


def _visible(char: str) -> bool:
    return char in "\n\t" or unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
