"""Writes rows in short statements of their own, on the paths where an ORM's planning costs more than the write.

The text of a statement is made once from the model's fields: a mistyped column is a KeyError, and every value goes as
a parameter. `together` sends what is written within it in as few round trips as can be. Everywhere else the ORM is
the better pen.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, models

_local = threading.local()


class _Batch:
    """Statements not yet sent, in order; each with what to raise where it did not write exactly one row."""

    def __init__(self) -> None:
        self.pending: list[tuple[str, list[Any], Exception | None]] = []

    def before(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        """Any other statement sees what was written before it."""
        self.flush()
        return execute(sql, params, many, context)

    def flush(self) -> None:
        pending, self.pending = self.pending, []
        if not pending:
            return
        with connection.cursor() as cursor:
            cursor.execute("; ".join(sql for sql, _, _ in pending), [one for _, given, _ in pending for one in given])
            for _, _, otherwise in pending:
                if otherwise is not None and cursor.rowcount != 1:
                    raise otherwise
                cursor.nextset()


@contextmanager
def together() -> Iterator[None]:
    """What `append` and `change` write inside is sent when it ends, or before any other statement.

    Inside a transaction. Where an exception ends it, what was not sent is forgotten with the transaction.
    """
    if getattr(_local, "batch", None) is not None:  # inside another: that one sends
        yield
        return
    batch = _local.batch = _Batch()
    try:
        with connection.execute_wrapper(batch.before):
            yield
            batch.flush()
    finally:
        _local.batch = None


def insert(model: type[models.Model], **values: Any) -> int:
    """One row exists, with these values by attribute name (`intent_id`); defaults apply. Returns its id at once."""
    sql, fields = _insertion(model, tuple(values))
    with connection.cursor() as cursor:
        cursor.execute(sql, [_given(field, values) for field in fields])
        (key,) = cursor.fetchone()
    return int(key)


def append(model: type[models.Model], **values: Any) -> None:
    """The same for a row whose id nobody asks for: it may be sent together with others."""
    sql, fields = _insertion(model, tuple(values))
    _send(sql, [_given(field, values) for field in fields], None)


def write(row: models.Model) -> None:
    """A new instance is a row, and has its id."""
    values = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    if row.pk is None:
        del values[row._meta.pk.attname]
    row.pk = insert(type(row), **values)
    row._state.adding, row._state.db = False, "default"


def change(
    model: type[models.Model], *, where: Mapping[str, Any], otherwise: Exception | None = None, **values: Any
) -> None:
    """The rows in which every column of `where` equals its value hold these values.

    Where that is not exactly one row, `otherwise` is raised: inside `together` when the statements are sent.
    """
    sql, fields, keys = _change(model, tuple(where), tuple(values))
    _send(sql, [_given(field, values) for field in fields] + [where[key] for key in keys], otherwise)


def _send(sql: str, given: list[Any], otherwise: Exception | None) -> None:
    batch = getattr(_local, "batch", None) or _Batch()
    batch.pending.append((sql, given, otherwise))
    if batch is not getattr(_local, "batch", None):
        batch.flush()


@cache
def _insertion(model: type[models.Model], names: tuple[str, ...]) -> tuple[str, tuple[models.Field, ...]]:
    _know(model, names)
    fields = tuple(field for field in model._meta.concrete_fields if field.attname in names or _has_default(field))
    columns = ", ".join(f'"{field.column}"' for field in fields)
    places = ", ".join("%s" for _ in fields)
    key = model._meta.pk.column
    sql = f'INSERT INTO "{model._meta.db_table}" ({columns}) VALUES ({places})'  # noqa: S608  names come from the models
    return f'{sql} RETURNING "{key}"', fields


@cache
def _change(
    model: type[models.Model], where: tuple[str, ...], names: tuple[str, ...]
) -> tuple[str, tuple[models.Field, ...], tuple[str, ...]]:
    _know(model, where + names)
    columns = {field.attname: field for field in model._meta.concrete_fields}
    sets = ", ".join(f'"{columns[name].column}" = %s' for name in names)
    holds = " AND ".join(f'"{columns[name].column}" = %s' for name in where)
    sql = f'UPDATE "{model._meta.db_table}" SET {sets} WHERE {holds}'  # noqa: S608  names come from the models
    return sql, tuple(columns[name] for name in names), where


def _know(model: type[models.Model], names: tuple[str, ...]) -> None:
    known = {field.attname for field in model._meta.concrete_fields}
    for name in names:
        if name not in known:
            raise KeyError(f"{model.__name__} has no column {name}")


def _has_default(field: models.Field) -> bool:
    return field.has_default() or (field.empty_strings_allowed and not field.null and not field.primary_key)


def _given(field: models.Field, values: Mapping[str, Any]) -> Any:
    value = values[field.attname] if field.attname in values else field.get_default()
    if value is not None and isinstance(field, models.JSONField):
        return json.dumps(value, cls=field.encoder or DjangoJSONEncoder)
    return value
