"""Verification: hashes the stored bytes and follows the links; names the first entry that is not as it was told."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.db import connection

from journal.digests import link, salted
from journal.models import Entry, Personal

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
    beside = (told["kind"], told["chain"], told["position"], told["organization"], told["actor"]["id"][:200])
    if beside != (entry.kind, entry.chain, entry.position, entry.organization, entry.actor):
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


def _check_personal(entries: Iterable[Entry]) -> None:
    by_id = {entry.pk: json.loads(bytes(entry.body))["personal"] for entry in entries}
    beside = Personal.objects.in_bulk([pk for pk, digest in by_id.items() if digest])
    for pk, digest in by_id.items():
        if digest is None:
            continue
        words = beside.get(pk)
        if words is None:
            raise _Broken(pk, "its personal content was removed, not erased")
        if words.content is None:
            told_by = Entry.objects.filter(pk=words.erased_by or 0, kind="personal.erased")
            if not told_by.exists():
                raise _Broken(pk, "its personal content was emptied without an entry that tells of it")
        elif salted(salt=bytes(words.salt or b""), content=bytes(words.content)) != digest:
            raise _Broken(pk, "its personal content is not what was told")


def _in_order(chain: str | None) -> Iterator[list[Entry]]:
    """Batches in an order in which links can be followed: within a chain by position."""
    rows = Entry.objects.order_by("chain", "position", "id")
    rows = rows.filter(chain=chain) if chain else rows
    batch: list[Entry] = []
    for entry in rows.iterator(chunk_size=BATCH):
        batch.append(entry)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def verify(*, chain: str | None = None, heads: Mapping[str, tuple[bytes, int]] | None = None) -> Report:
    """Verify one chain, or the whole journal.

    `heads` are the heads kept outside the journal (a proposal's row: digest of 32 bytes, length): a tail that
    was cut is found against them. Sees one consistent snapshot when called inside a repeatable-read transaction.
    """
    ends: dict[str, _Link] = {}
    entries = 0
    try:
        for batch in _in_order(chain):
            for entry in batch:
                _check_entry(entry, ends)
                entries += 1
            _check_personal(batch)
        _check_heads(ends, heads or {})
    except _Broken as broken:
        return Report(False, entries, len(ends), broken.entry, broken.reason)
    return Report(True, entries, len(ends))


def _check_heads(ends: Mapping[str, _Link], heads: Mapping[str, tuple[bytes, int]]) -> None:
    for name, (digest, length) in heads.items():
        end = ends.get(name)
        if end is None or (end.position, end.digest) != (length, digest):
            last = Entry.objects.filter(chain=name).order_by("-position").values_list("pk", flat=True).first()
            raise _Broken(last or 0, f"chain {name} does not end where its proposal says: entries are missing or added")


def snapshot() -> None:
    """Make the present transaction see one instant (call first in it)."""
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
