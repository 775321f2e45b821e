"""Reads the journal back, from its own tables alone."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from journal.chain import Report, verify
from journal.models import Entry, Personal

__all__ = ["Report", "Told", "entries", "entries_of", "entries_of_organization", "tally", "verify"]


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


def entries_of_organization(
    organization: int, *, before: int | None = None, kinds: list[str] | None = None, limit: int = 50
) -> list[Told]:
    """The newest entries of one organization, newest first; `before` is the id of the last one already seen."""
    rows = Entry.objects.filter(organization=organization)
    rows = rows.filter(pk__lt=before) if before else rows
    rows = rows.filter(kind__in=kinds) if kinds else rows
    return _with_personal(list(rows.order_by("-pk")[:limit]))


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
