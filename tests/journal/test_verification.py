"""Verification finds each way of tampering and names the first broken entry."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection, transaction

from journal.chain import verify
from journal.clock import now
from journal.digests import canonical, link
from journal.kinds import Kind
from journal.models import Entry, Personal
from journal.queries import entries_of
from journal.recording import Actor, Head, record
from journal.retention import erase
from tests.journal.test_append_only import told

pytestmark = pytest.mark.usefixtures("database")


@contextmanager
def as_the_owner_of_the_tables() -> Iterator[None]:
    """An attacker who owns the tables takes the triggers off first; afterwards each is as it was."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgrelid::regclass::text, tgname, CASE tgenabled WHEN 'A' THEN 'ENABLE ALWAYS' ELSE 'ENABLE' END"
            " FROM pg_trigger WHERE NOT tgisinternal"
            " AND tgrelid IN ('journal_entry'::regclass, 'journal_personal'::regclass)"
        )
        triggers = cursor.fetchall()
        for table, name, _ in triggers:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER {name}")
        yield
        for table, name, on in triggers:
            cursor.execute(f"ALTER TABLE {table} {on} TRIGGER {name}")


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


@pytest.mark.parametrize("column", [{"at": "2020-01-01T00:00:00Z"}, {"actor_kind": "server"}, {"organization": 2}])
def test_every_column_that_is_shown_is_compared_with_the_bytes(column: dict[str, object]) -> None:
    told(length=2)
    second = Entry.objects.get(chain="P-1", position=2)
    with as_the_owner_of_the_tables():
        Entry.objects.filter(pk=second.pk).update(**column)
    assert verify().first_broken == second.pk


def test_words_put_beside_an_entry_that_tells_of_none_are_noticed() -> None:
    with transaction.atomic():
        record(kind=Kind.PROPOSAL_EXPIRED, actor=Actor.server(), organization=1, now=now(), chain="P-1")
    entry = Entry.objects.get()
    Personal.objects.create(entry=entry.pk, content=b'{"words":"never said"}', salt=b"x")
    assert verify().first_broken == entry.pk


def test_words_emptied_in_the_name_of_another_erasure_are_noticed() -> None:
    told(length=2)
    first, second = Entry.objects.order_by("pk")
    with transaction.atomic():
        erase(actor=Actor("person", "auditor"), entry=first.pk, reason="request", now=now())
    told_by = Personal.objects.get(pk=first.pk).erased_by
    with as_the_owner_of_the_tables():
        Personal.objects.filter(pk=second.pk).update(content=None, salt=None, erased_by=told_by)
    assert verify().first_broken == second.pk


def test_a_chain_that_no_proposal_began_is_noticed() -> None:
    head = told(length=2)
    told(chain="P-2", length=1)
    assert verify(heads={"P-1": (head.digest or b"", 2)}).first_broken == Entry.objects.get(chain="P-2").pk


def test_one_organization_is_verified_without_a_word_about_another() -> None:
    told(length=2)
    with transaction.atomic():
        record(kind=Kind.PROPOSAL_EXPIRED, actor=Actor.server(), organization=2, now=now(), chain="P-2")
    with as_the_owner_of_the_tables():
        Entry.objects.filter(chain="P-1", position=2).update(actor="somebody else")
    assert (verify(organization=2).ok, verify(organization=2).entries, verify(organization=1).ok) == (True, 1, False)
