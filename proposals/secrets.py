"""Recognises secrets in what an agent sends, so that they are refused with their place and never repeated."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

MASK = "•••"

_WORDS = r"pass(?:word|wd|phrase)|pwd|mot\s+de\s+passe|mdp|api[_ -]?key|access[_ -]?token|client[_ -]?secret"

# Every shape starts at one place of a run and is bounded, so that a long hostile text costs linear time.
_SHAPES = (
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----(?:.*?-----END (?:[A-Z0-9]+ )*PRIVATE KEY-----|.*)",
    r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",  # a signed token (JWT)
    r"(?i:\bbearer)\s+[A-Za-z0-9._~+/-]{16,}=*",
    r"(?i:\bbasic)\s+[A-Za-z0-9+/]{16,}={0,2}",
    r"(?<![A-Za-z0-9_-])cs_[A-Za-z0-9_-]{20,}",  # our own tokens
    r"(?<![A-Za-z0-9_-])(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}",
    r"(?<![A-Za-z0-9_-])(?:sk|pk|rk)[-_](?:live|test|proj)[-_][A-Za-z0-9_-]{3,}",
    r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,})",
    r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}",
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    r"\bAIza[0-9A-Za-z_-]{35}\b",
    r"\b[a-z][a-z0-9+.-]{0,20}://[^\s/:@]{1,100}:[^\s/@]{1,200}@",  # an address that carries its password
    rf"(?i:\b(?:{_WORDS}|secret)\s*=\s*)[^\s&;,]{{4,}}",
    rf"(?i:\b(?:{_WORDS})\s*:\s*)(?=[^\s&;,]{{0,60}}[0-9])[^\s&;,]{{6,}}",
)
_SECRET = re.compile("|".join(f"(?:{shape})" for shape in _SHAPES), re.DOTALL)
_NAMES = re.compile(
    r"(?i)^(?:pass(?:word|wd|phrase)?|pwd|mot[ _-]?de[ _-]?passe|mdp|secret|client[_-]?secret|api[_ -]?key|"
    r"private[_ -]?key|(?:access|refresh|bearer|auth)[_ -]?token|token|authorization|credentials?)$"
)


def secrets_in(value: Any) -> list[str]:
    """The JSON pointers of what looks like a secret, in the order of the value; parts of a pointer are masked too."""
    return list(_found(value, ""))


def mask(text: str) -> str:
    """The text with every recognised secret replaced by `•••`."""
    return _SECRET.sub(MASK, text)


def token(part: str | int) -> str:
    """One step of a JSON pointer (RFC 6901)."""
    return "/" + str(part).replace("~", "~0").replace("/", "~1")


def _found(value: Any, pointer: str) -> Iterator[str]:
    if isinstance(value, str):
        if _SECRET.search(value):
            yield pointer
    elif isinstance(value, Mapping):
        yield from _found_in_mapping(value, pointer)
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from _found(item, pointer + token(index))


def _found_in_mapping(value: Mapping[str, Any], pointer: str) -> Iterator[str]:
    # A fact names its value in a sibling: {"label": "password", "value": "…"}.
    named = bool(_NAMES.match(str(value.get("label", "")).strip()))
    for key, item in value.items():
        place = pointer + token(mask(str(key)))
        by_name = bool(_NAMES.match(key)) or (named and key == "value")
        if (by_name and isinstance(item, str) and item.strip()) or _SECRET.search(str(key)):
            yield place
        else:
            yield from _found(item, place)
