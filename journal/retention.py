"""Erases personal content: the words go, the chain still verifies, and an entry tells that it was done."""

from datetime import datetime

from django.db import connection

from journal.kinds import Kind
from journal.models import Entry, Personal
from journal.recording import Actor, record


class NothingToErase(LookupError):
    """This entry holds no personal content, or it was erased before."""


def erase(*, actor: Actor, entry: int, reason: str, now: datetime) -> None:
    """Empty the personal content beside `entry`; a new entry, standing alone, says who and why. In a transaction.

    Raises:
        NothingToErase: there is none (any more).
    """
    row = Entry.objects.get(pk=entry)
    record(
        kind=Kind.PERSONAL_ERASED,
        actor=actor,
        organization=row.organization,
        now=now,
        subjects={"entry": entry},
        facts={"reason": reason},
    )
    with connection.cursor() as cursor:
        cursor.execute("SELECT currval(pg_get_serial_sequence('journal_entry', 'id'))")
        told = cursor.fetchone()[0]
    changed = Personal.objects.filter(pk=entry, content__isnull=False).update(content=None, salt=None, erased_by=told)
    if changed != 1:
        raise NothingToErase(NothingToErase.__doc__)
