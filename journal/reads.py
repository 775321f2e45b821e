"""Reads put together: several questions to the database in one statement, each written by the owner of its tables."""

from dataclasses import dataclass
from typing import Any

from django.db import connection


@dataclass(frozen=True)
class Read:
    """One question: SQL that answers with one value, and the values of its places.

    Lists and rows are answered as `json`, which arrives as Python values; nothing found is None.
    """

    sql: str
    given: tuple[Any, ...] = ()


CLOCK = Read("SELECT clock_timestamp()")


def ask(**reads: Read) -> dict[str, Any]:
    """The answers by name, of one snapshot and one round trip."""
    sql = ", ".join(f"({read.sql})" for read in reads.values())
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {sql}", [value for read in reads.values() for value in read.given])
        row = cursor.fetchone()
    return dict(zip(reads, row, strict=True))
