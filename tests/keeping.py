"""Emptying the database between tests, and a copy of the world in it to begin the next one from.

The cast and the contracts are made once by the product's own calls; every further test gets the same rows back from a
copy beside the tables. Making them takes twenty times as long.
"""

import copy
from typing import Any

from django.db import connection

KEPT = frozenset({"django_migrations", "django_content_type", "auth_permission"})
NO_ID = frozenset({"django_session", "journal_personal", "tenancy_tokenuse", "intents_progress"})
COPY = "world_as_new"
_worlds: dict[str, Any] = {}


def wipe(*, restore: bool = False) -> None:
    """Empty every table that holds something and count from one again; with `restore` the copy is put back.

    The journal and its like refuse DELETE, so their owner takes the triggers off for that moment. Deleting the few
    rows of a test is ten times as quick as truncating some sixty tables with their indexes.
    """
    with connection.cursor() as cursor:
        full = _full(cursor)
        copied = _copied(cursor) if restore else []
        off, on = always_on(cursor, {*full, *copied})
        empty = "".join(f'DELETE FROM "{name}";' for name in full)
        restart = "".join(
            f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), 1, false);" for name in full if name not in NO_ID
        )
        again = "".join(_put_back(name) for name in copied)
        cursor.execute(f"BEGIN; SET LOCAL session_replication_role = replica; {off}{empty}{restart}{again}{on} COMMIT;")


def keep(world: Any) -> None:
    """Copy what the tables hold now; `kept()` gives this world back after `wipe(restore=True)`."""
    with connection.cursor() as cursor:
        tables = "".join(f'CREATE TABLE {COPY}."{name}" AS TABLE "{name}";' for name in _full(cursor))
        cursor.execute(f"BEGIN; DROP SCHEMA IF EXISTS {COPY} CASCADE; CREATE SCHEMA {COPY}; {tables} COMMIT;")
    _worlds[_database()] = copy.deepcopy(world)


def kept() -> Any | None:
    """A fresh copy of the world that was kept for this database, or None."""
    return copy.deepcopy(_worlds.get(_database()))


def _database() -> str:
    return str(connection.settings_dict["NAME"])


def _full(cursor: Any) -> list[str]:
    names = [name for name in connection.introspection.table_names(cursor) if name not in KEPT]
    cursor.execute(" UNION ALL ".join(f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM \"{name}\")" for name in names))
    return [name for (name,) in cursor.fetchall()]


def _copied(cursor: Any) -> list[str]:
    cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", [COPY])
    return [name for (name,) in cursor.fetchall()]


def always_on(cursor: Any, tables: set[str]) -> tuple[str, str]:
    """What takes off, and puts back, the triggers that fire even for a replica."""
    cursor.execute("SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled = 'A'")
    always = [(table, name) for table, name in cursor.fetchall() if table in tables]
    off = "".join(f"ALTER TABLE {table} DISABLE TRIGGER {name};" for table, name in always)
    on = "".join(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name};" for table, name in always)
    return off, on


def _put_back(name: str) -> str:
    counted = f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), max(id)) FROM {COPY}.\"{name}\";"
    rows = f'INSERT INTO "{name}" OVERRIDING SYSTEM VALUE SELECT * FROM {COPY}."{name}";'
    return rows if name in NO_ID else rows + counted
