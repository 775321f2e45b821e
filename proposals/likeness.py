"""How much alike two tools read to somebody who chooses between them; the same numbers on every machine."""

import re
import unicodedata
from collections.abc import Iterable

# Two tools at or above this share of common words are told to their owner.
OVERLAP = 0.4

_WORD = re.compile(r"[^\W\d_]{3,}")
# Words that every good description holds (“Use when …”, “One file per call”) say nothing about what a tool does.
_SAID_EVERYWHERE = """
    the and for not use when with this that from one per call are was has have been its only before after you your
    other than then them they does must may can will each into all any never there which what who how out
    les des une est dans pour par sur avec pas que qui son ses aux utiliser quand appel
"""
_COMMON = frozenset(_SAID_EVERYWHERE.split())


def words_of(text: str) -> frozenset[str]:
    """The words that carry meaning: folded, without accents, without a plural's s, each once."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join(char for char in plain if not unicodedata.combining(char))
    return frozenset(word.rstrip("s") for word in _WORD.findall(letters) if word not in _COMMON)


def overlap(one: str, other: str) -> float:
    """The share of words that two texts have in common, from 0 to 1 (Jaccard's index); 0 when either says nothing."""
    first, second = words_of(one), words_of(other)
    return len(first & second) / len(first | second) if first and second else 0.0


def confusable(name: str, others: Iterable[str]) -> list[str]:
    """The names that differ from `name` only in case, in - and _, or in one letter put in, left out or changed."""
    return sorted(other for other in others if other != name and _near(_bare(name), _bare(other)))


def _bare(name: str) -> str:
    return re.sub(r"[-_]", "", name.casefold())


def _near(one: str, other: str) -> bool:
    if abs(len(one) - len(other)) > 1:
        return False
    short, long = sorted((one, other), key=len)
    same = next((index for index, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return short[same + (len(short) == len(long)) :] == long[same + 1 :]
