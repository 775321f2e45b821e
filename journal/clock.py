"""One time authority: the database's clock."""

from datetime import datetime

from django.db import connection


def now() -> datetime:
    """The database's wall clock at this very moment (not the start of the transaction), aware, in UTC.

    Ask after taking locks: an instant read before waiting for a lock may already be past.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        row = cursor.fetchone()
    moment: datetime = row[0]
    return moment
