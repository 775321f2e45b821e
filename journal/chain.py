"""Verification: hashes the stored bytes and follows the links; names the first entry that is not as it was told."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import connection

from journal.digests import link, salted
from journal.models import Entry, Personal
from journal.recording import spelt

BATCH = 2000


@dataclass(frozen=True)
class Report:
    """What verification found. `first_broken` is an entry's id, or 0 when the fault is a missing tail."""

    ok: bool
    entries: int
    chains: int
    first_broken: int | None = None
    reason: str = ""


@dataclass
class _Link:
    digest: bytes
    position: int


class _Broken(Exception):
    """An entry is not as it was told."""

    def __init__(self, entry: int, reason: str) -> None:
        super().__init__(reason)
        self.entry = entry
        self.reason = reason


def _check_entry(entry: Entry, ends: dict[str, _Link]) -> None:
    body = bytes(entry.body)
    if link(body=body) != bytes(entry.digest):
        raise _Broken(entry.pk, "its bytes do not match its digest")
    told = json.loads(body)
    if _beside(told) != _columns(entry):
        raise _Broken(entry.pk, "a column says something else than its bytes")
    if told["subjects"] != entry.subjects:
        raise _Broken(entry.pk, "its subjects say something else than its bytes")
    if entry.chain is None:
        return
    end = ends.get(entry.chain)
    if entry.position != (end.position if end else 0) + 1:
        raise _Broken(entry.pk, f"an entry before it is missing from chain {entry.chain}")
    if told["previous"] != (end.digest.hex() if end else None):
        raise _Broken(entry.pk, f"it is not linked to the entry before it in chain {entry.chain}")
    ends[entry.chain] = _Link(bytes(entry.digest), entry.position or 0)


def _beside(told: Mapping[str, Any]) -> tuple[Any, ...]:
    actor, short = told["actor"]["kind"], told["actor"]["id"][:200]
    return told["at"], told["kind"], told["chain"], told["position"], told["organization"], actor, short


def _columns(entry: Entry) -> tuple[Any, ...]:
    at = spelt(entry.at)
    return at, entry.kind, entry.chain, entry.position, entry.organization, entry.actor_kind, entry.actor


def _check_personal(entries: Iterable[Entry]) -> None:
    by_id = {entry.pk: json.loads(bytes(entry.body))["personal"] for entry in entries}
    beside = Personal.objects.in_bulk(list(by_id))
    for pk, digest in by_id.items():
        words = beside.get(pk)
        if digest is None and words is not None:
            raise _Broken(pk, "personal content was put beside it that it does not tell of")
        if digest is not None:
            _check_words(pk, words, digest)


def _check_words(pk: int, words: Personal | None, digest: str) -> None:
    if words is None:
        raise _Broken(pk, "its personal content was removed, not erased")
    if words.content is None:
        told_by = Entry.objects.filter(pk=words.erased_by or 0, kind="personal.erased").first()
        if told_by is None or json.loads(bytes(told_by.body))["subjects"] != {"entry": pk}:
            raise _Broken(pk, "its personal content was emptied without an entry that tells of it")
    elif salted(salt=bytes(words.salt or b""), content=bytes(words.content)) != digest:
        raise _Broken(pk, "its personal content is not what was told")


def _in_order(chain: str | None, organization: int | None) -> Iterator[list[Entry]]:
    """Batches in an order in which links can be followed: within a chain by position."""
    rows = Entry.objects.order_by("chain", "position", "id")
    rows = rows.filter(chain=chain) if chain else rows
    rows = rows.filter(organization=organization) if organization is not None else rows
    batch: list[Entry] = []
    for entry in rows.iterator(chunk_size=BATCH):
        batch.append(entry)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def verify(
    *,
    chain: str | None = None,
    organization: int | None = None,
    heads: Mapping[str, tuple[bytes, int]] | None = None,
) -> Report:
    """Verify one chain, the entries of one organization, or the whole journal.

    `heads` are all the heads kept outside what is verified (a proposal's row: digest of 32 bytes, length): a tail
    that was cut, and a chain that nobody began, are found against them. Sees one consistent snapshot when called
    inside a repeatable-read transaction.
    """
    ends: dict[str, _Link] = {}
    entries = 0
    try:
        for batch in _in_order(chain, organization):
            for entry in batch:
                _check_entry(entry, ends)
                entries += 1
            _check_personal(batch)
        if heads is not None:
            _check_heads(ends, heads)
    except _Broken as broken:
        return Report(False, entries, len(ends), broken.entry, broken.reason)
    return Report(True, entries, len(ends))


def _check_heads(ends: Mapping[str, _Link], heads: Mapping[str, tuple[bytes, int]]) -> None:
    for name, (digest, length) in heads.items():
        end = ends.get(name)
        if end is None or (end.position, end.digest) != (length, digest):
            last = Entry.objects.filter(chain=name).order_by("-position").values_list("pk", flat=True).first()
            raise _Broken(last or 0, f"chain {name} does not end where its proposal says: entries are missing or added")

    for name in ends:
        if name not in heads:
            first = Entry.objects.filter(chain=name).order_by("position").values_list("pk", flat=True).first()
            raise _Broken(first or 0, f"chain {name} belongs to no proposal")


def snapshot() -> None:
    """Make the present transaction see one instant (call first in it)."""
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
