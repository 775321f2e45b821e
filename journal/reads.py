"""Reads put together: several questions to the database in one statement, each written by the owner of its tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from journal.statements import say


@dataclass(frozen=True)
class Read:
    """One question: SQL that answers with one value, and the values of its places (`%s`).

    Lists and rows are answered as `json`, which arrives as Python values; nothing found is None.
    """

    sql: str
    given: Sequence[Any] = ()


CLOCK = Read("SELECT clock_timestamp()")
NOTHING = Read("SELECT NULL")


def ask(**reads: Read) -> dict[str, Any]:
    """The answers by name, of one snapshot and one round trip."""
    sql = together(*(read.sql for read in reads.values()))
    ((*row,),) = say(sql, [value for read in reads.values() for value in read.given])
    return dict(zip(reads, row, strict=True))


@cache
def together(*texts: str) -> str:
    """One statement of several questions: the same text each time, so that the database plans it once."""
    return numbered("SELECT " + ", ".join(f"({text})" for text in texts))


@cache
def numbered(sql: str) -> str:
    """The text with its places numbered, as a prepared statement has them."""
    first, *rest = sql.split("%s")
    return first + "".join(f"${place}{part}" for place, part in enumerate(rest, 1))


def listed(values: Sequence[str]) -> str:
    """A list of plain words as the database spells one."""
    return "{" + ",".join(values) + "}"
