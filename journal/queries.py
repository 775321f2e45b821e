"""Reads the journal back, from its own tables alone."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from journal.chain import Report, verify
from journal.models import Entry, Personal

__all__ = [
    "EVERYTHING",
    "Kept",
    "Report",
    "Told",
    "Wanted",
    "entries",
    "entries_of",
    "entries_of_organization",
    "kept",
    "tally",
    "verify",
]


@dataclass(frozen=True)
class Told:
    """One entry as it was told. `personal` is None when there was none, or when it was erased (`erased`)."""

    id: int
    at: datetime
    kind: str
    actor_kind: str
    actor: str
    chain: str | None
    position: int | None
    subjects: dict[str, Any]
    facts: dict[str, Any]
    personal: dict[str, Any] | None
    erased: bool
    digest: str


def _told(entry: Entry, words: Personal | None) -> Told:
    body = json.loads(bytes(entry.body))
    content = json.loads(bytes(words.content)) if words and words.content is not None else None
    return Told(
        id=entry.pk,
        at=entry.at,
        kind=entry.kind,
        actor_kind=entry.actor_kind,
        actor=entry.actor,
        chain=entry.chain,
        position=entry.position,
        subjects=body["subjects"],
        facts=body["facts"],
        personal=content,
        erased=bool(words and words.content is None),
        digest=f"sha256:{bytes(entry.digest).hex()}",
    )


def _with_personal(entries: list[Entry]) -> list[Told]:
    words = Personal.objects.in_bulk([entry.pk for entry in entries])
    return [_told(entry, words.get(entry.pk)) for entry in entries]


def entries_of(chain: str) -> list[Told]:
    """Every entry of one chain (`P-42`), oldest first. The caller has checked who may read it."""
    return _with_personal(list(Entry.objects.filter(chain=chain).order_by("position")))


def entries(ids: Iterable[int]) -> list[Told]:
    """These entries, in the order in which they were told. The caller has checked who may read them."""
    return _with_personal(list(Entry.objects.filter(pk__in=list(ids)).order_by("pk")))


@dataclass(frozen=True)
class Wanted:
    """Which entries of an organization are asked for: all of them, but for what is named here.

    `actor` is a person's or agent's name in any case; `since` counts, `until` does not.
    """

    kinds: tuple[str, ...] = ()
    actor: str = ""
    chain: str = ""
    since: datetime | None = None
    until: datetime | None = None


EVERYTHING = Wanted()


def _rows(organization: int, wanted: Wanted) -> QuerySet[Entry]:
    rows = Entry.objects.filter(organization=organization)
    rows = rows.filter(kind__in=wanted.kinds) if wanted.kinds else rows
    rows = rows.filter(actor__iexact=wanted.actor) if wanted.actor else rows
    rows = rows.filter(chain=wanted.chain) if wanted.chain else rows
    rows = rows.filter(at__gte=wanted.since) if wanted.since else rows
    return rows.filter(at__lt=wanted.until) if wanted.until else rows


def entries_of_organization(
    organization: int,
    *,
    before: int | None = None,
    kinds: Iterable[str] = (),
    wanted: Wanted | None = None,
    limit: int = 50,
) -> list[Told]:
    """The newest entries of one organization, newest first; `before` is the id of the last one already seen."""
    rows = _rows(organization, wanted or Wanted(kinds=tuple(kinds)))
    rows = rows.filter(pk__lt=before) if before else rows
    return _with_personal(list(rows.order_by("-pk")[:limit]))


@dataclass(frozen=True)
class Kept:
    """One entry as it is kept, for verifying it elsewhere: the exact bytes, and the personal content beside them."""

    told: Told
    body: bytes
    content: bytes | None
    salt: bytes | None


def kept(organization: int, *, wanted: Wanted = EVERYTHING, batch: int = 500) -> Iterator[Kept]:
    """The entries wanted, in the order in which they were told, however many: at most `batch` in memory at a time."""
    rows, after = _rows(organization, wanted).order_by("pk"), 0
    while entries := list(rows.filter(pk__gt=after)[:batch]):
        words = Personal.objects.in_bulk([entry.pk for entry in entries])
        for entry in entries:
            beside = words.get(entry.pk)
            content, salt = (beside.content, beside.salt) if beside else (None, None)
            yield Kept(
                _told(entry, beside),
                bytes(entry.body),
                None if content is None else bytes(content),
                None if salt is None else bytes(salt),
            )
        after = entries[-1].pk


def tally(
    organization: int, *, kinds: list[str], since: datetime, newest: int = 100_000
) -> list[tuple[str, str, str, int]]:
    """How often each kind was told since then: kind, the code among its facts, its tool or proposal, and the number.

    Looks at the `newest` entries of the organization only: entries are in order of time, and nothing else is indexed.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT kind, coalesce(told -> 'facts' ->> 'code', ''),
                   coalesce(told -> 'facts' ->> 'tool', told -> 'subjects' ->> 'proposal', ''), count(*)
              FROM (SELECT kind, convert_from(body, 'UTF8')::jsonb AS told
                      FROM (SELECT kind, body, at FROM journal_entry WHERE organization = %s
                             ORDER BY id DESC LIMIT %s) AS newest
                     WHERE at >= %s AND kind = ANY(%s)) AS entries
             GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
            """,
            [organization, newest, since, kinds],
        )
        return list(cursor.fetchall())
