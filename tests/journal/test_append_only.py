"""The database itself refuses to change what was said."""

import pytest
from django.db import DatabaseError, connection, transaction

from journal.clock import now
from journal.kinds import Kind
from journal.models import Entry, Personal
from journal.recording import Actor, Head, NotInTransaction, record
from journal.retention import NothingToErase, erase

pytestmark = pytest.mark.usefixtures("database")


def told(chain: str | None = "P-1", length: int = 3) -> Head:
    head = Head(None, 0)
    with transaction.atomic():
        for number in range(length):
            head = record(
                kind=Kind.COMMENT_MADE,
                actor=Actor("person", "approver"),
                organization=1,
                now=now(),
                facts={"number": number},
                personal={"words": f"word {number}"},
                chain=chain,
                head=head,
            )
    return head


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE journal_entry SET actor = 'somebody else'",
        "DELETE FROM journal_entry",
        "TRUNCATE journal_entry",
        "UPDATE journal_personal SET content = 'x'",
        "UPDATE journal_personal SET content = NULL, salt = NULL, erased_by = 1",
        "DELETE FROM journal_personal",
        "TRUNCATE journal_personal",
        "SET session_replication_role = replica; DELETE FROM journal_entry",
        "SET session_replication_role = replica; TRUNCATE journal_entry",
    ],
)
def test_the_database_refuses_to_change_the_journal(statement: str) -> None:
    told()
    with (
        pytest.raises(DatabaseError, match=r"append-only|can only be erased"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)
    assert Entry.objects.count() == 3
    assert Personal.objects.filter(content__isnull=False).count() == 3


def test_a_fact_cannot_be_told_outside_a_transaction() -> None:
    with pytest.raises(NotInTransaction):
        record(kind=Kind.COMMENT_MADE, actor=Actor.server(), organization=1, now=now())


def test_two_writers_cannot_append_to_the_same_head() -> None:
    told(length=1)
    with pytest.raises(DatabaseError, match="journal_one_entry_per_link"), transaction.atomic():
        record(
            kind=Kind.COMMENT_MADE,
            actor=Actor.server(),
            organization=1,
            now=now(),
            chain="P-1",
            head=Head(None, 0),
        )


def test_erasing_leaves_an_entry_that_tells_of_it_and_happens_once() -> None:
    told(length=2)
    first = Entry.objects.order_by("pk").first()
    with transaction.atomic():
        erase(actor=Actor("person", "auditor"), entry=first.pk, reason="request of the person", now=now())
    assert Personal.objects.get(pk=first.pk).content is None
    assert Entry.objects.filter(kind="personal.erased", subjects__entry=first.pk).count() == 1
    with pytest.raises(NothingToErase), transaction.atomic():
        erase(actor=Actor("person", "auditor"), entry=first.pk, reason="again", now=now())
    assert Entry.objects.filter(kind="personal.erased").count() == 1
