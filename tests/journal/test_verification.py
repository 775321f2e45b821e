"""Verification finds each way of tampering and names the first broken entry."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection, transaction

from journal.chain import verify
from journal.clock import now
from journal.digests import canonical, link
from journal.models import Entry
from journal.queries import entries_of
from journal.recording import Actor, Head
from journal.retention import erase
from tests.journal.test_append_only import told

pytestmark = pytest.mark.usefixtures("database")


@contextmanager
def as_the_owner_of_the_tables() -> Iterator[None]:
    """An attacker who owns the tables takes the triggers off first."""
    with connection.cursor() as cursor:
        for table in ("journal_entry", "journal_personal"):
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        yield
        cursor.execute(
            "SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE NOT tgisinternal AND tgname LIKE 'journal%'"
        )
        for table, name in cursor.fetchall():
            cursor.execute(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name}")


def test_an_untouched_journal_verifies() -> None:
    head = told(length=5)
    told(chain=None, length=2)
    report = verify(heads={"P-1": (head.digest or b"", 5)})
    assert (report.ok, report.entries, report.chains) == (True, 7, 1)


def test_a_changed_body_is_named() -> None:
    told(length=4)
    third = Entry.objects.get(chain="P-1", position=3)
    with as_the_owner_of_the_tables():
        Entry.objects.filter(pk=third.pk).update(body=bytes(third.body).replace(b'"number":2', b'"number":9'))
    report = verify()
    assert (report.ok, report.first_broken) == (False, third.pk)


def test_a_changed_column_beside_the_body_is_named() -> None:
    told(length=2)
    second = Entry.objects.get(chain="P-1", position=2)
    with as_the_owner_of_the_tables():
        Entry.objects.filter(pk=second.pk).update(actor="somebody else")
    assert verify().first_broken == second.pk


def test_a_body_rewritten_with_its_digest_breaks_the_next_link() -> None:
    told(length=3)
    second = Entry.objects.get(chain="P-1", position=2)
    forged = bytes(second.body).replace(b'"number":1', b'"number":8')
    with as_the_owner_of_the_tables():
        Entry.objects.filter(pk=second.pk).update(body=forged, digest=link(body=forged))
    assert verify().first_broken == Entry.objects.get(chain="P-1", position=3).pk


def test_a_removed_entry_is_noticed_by_the_one_after_it() -> None:
    told(length=3)
    with as_the_owner_of_the_tables():
        Entry.objects.filter(chain="P-1", position=2).delete()
    report = verify()
    assert report.first_broken == Entry.objects.get(chain="P-1", position=3).pk
    assert "missing" in report.reason


def test_a_cut_tail_is_found_against_the_head_kept_outside() -> None:
    head = told(length=3)
    with as_the_owner_of_the_tables():
        Entry.objects.filter(chain="P-1", position=3).delete()
    assert verify().ok, "the tables alone cannot know of a tail that was cut"
    assert not verify(heads={"P-1": (head.digest or b"", 3)}).ok


def test_erased_words_leave_the_chain_verifiable_and_removed_words_do_not() -> None:
    told(length=3)
    first, second, _third = Entry.objects.order_by("pk")
    with transaction.atomic():
        erase(actor=Actor("person", "auditor"), entry=first.pk, reason="request", now=now())
    assert verify().ok
    assert [entry.erased for entry in entries_of("P-1")] == [True, False, False]
    with as_the_owner_of_the_tables(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM journal_personal WHERE entry = %s", [second.pk])
    assert verify().first_broken == second.pk


def test_the_digest_is_over_stored_bytes_and_not_over_a_value_that_went_through_jsonb() -> None:
    told(length=1)
    entry = Entry.objects.get()
    assert canonical({"b": 1.0, "a": "é"}) == '{"a":"é","b":1}'.encode()
    assert link(body=bytes(entry.body)) == bytes(entry.digest)


def test_heads_of_chains_that_have_no_entries_are_noticed() -> None:
    assert not verify(heads={"P-9": (b"\0" * 32, 1)}).ok
    assert Head(None, 0).digest is None
