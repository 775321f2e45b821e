"""Writes rows in short statements of their own, on the paths where an ORM's planning costs more than the write.

The text of a statement is made once from the model's fields: a mistyped column is a KeyError, and every value goes as
a parameter of a statement that the database has prepared. `together` sends what is written within it in one message.
Everywhere else the ORM is the better pen.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import psycopg
from django.core.serializers.json import DjangoJSONEncoder
from django.db import IntegrityError, connection, models

from journal.wire import Rows, ask

ONE_ROW = "journal_one_row"
_local = threading.local()
_json = DjangoJSONEncoder().encode


@dataclass(frozen=True)
class _Said:
    """One statement that waits to be sent; what to raise where it did not meet exactly one row, and who is told."""

    sql: str
    given: Sequence[Any]
    otherwise: Exception | None = None
    then: Callable[[Rows], None] | None = None


class _Batch:
    """Statements not yet sent, in order."""

    def __init__(self) -> None:
        self.pending: list[_Said] = []

    def before(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        """Any other statement sees what was written before it."""
        self.flush()
        return execute(sql, params, many, context)

    def flush(self, *, commit: bool = False) -> list[Rows]:
        pending, self.pending = self.pending, []
        if not pending:
            return []
        said = [(one.sql, _placed(one, place)) for place, one in enumerate(pending)]
        try:
            answers = ask(*said, commit=commit)
        except IntegrityError as error:
            otherwise = _meant(error, pending)
            if otherwise is None:
                raise
            raise otherwise from error
        for one, rows in zip(pending, answers, strict=True):
            if one.then is not None:
                one.then(rows)
        return answers


def _placed(one: _Said, place: int) -> Sequence[Any]:
    """A statement that must meet one row is told its place among the others, to be known by it."""
    return one.given if one.otherwise is None else [*one.given, place]


def _meant(error: IntegrityError, pending: Sequence[_Said]) -> Exception | None:
    cause = error.__cause__
    if not isinstance(cause, psycopg.Error) or cause.diag.constraint_name != ONE_ROW:
        return None
    return pending[int(cause.diag.message_detail or "")].otherwise


@contextmanager
def together(*, commit: bool = False) -> Iterator[None]:
    """What is written inside is sent when it ends, or before any other statement.

    Inside a transaction; with `commit`, the last message commits it: nothing else may come before it ends. Where an
    exception ends it, what was not sent is forgotten with the transaction.
    """
    if getattr(_local, "batch", None) is not None:  # inside another: that one sends
        yield
        return
    batch = _local.batch = _Batch()
    try:
        with connection.execute_wrapper(batch.before):
            yield
            batch.flush(commit=commit)
    finally:
        _local.batch = None


def insert(model: type[models.Model], **values: Any) -> int:
    """One row exists, with these values by attribute name (`intent_id`); defaults apply. Returns its id at once."""
    sql, fields = _insertion(model, tuple(values))
    ((key,),) = say(f'{sql} RETURNING "{model._meta.pk.column}"', [_given(field, values) for field in fields])
    return int(key)


def append(model: type[models.Model], **values: Any) -> None:
    """The same for a row whose id nobody asks for, or is given: it may be sent together with others."""
    sql, fields = _insertion(model, tuple(values))
    say_later(sql, [_given(field, values) for field in fields])


def append_both(
    model: type[models.Model], values: Mapping[str, Any], beside: type[models.Model], *, by: str, **more: Any
) -> None:
    """Two rows in one statement: one of `model`, and one of `beside` with `more`, whose column `by` is its id."""
    sql, fields, others = _pair(model, tuple(values), beside, by, tuple(more))
    given = [_given(field, values) for field in fields] + [_given(field, more) for field in others]
    say_later(sql, given)


def write_later(row: models.Model) -> None:
    """A new instance is a row, and has its id once what is written together is sent."""
    values = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    del values[row._meta.pk.attname]
    sql, fields = _insertion(type(row), tuple(values))

    def told(rows: Rows) -> None:
        row.pk = rows[0][0]
        row._state.adding, row._state.db = False, "default"

    key = row._meta.pk.column
    say_later(f'{sql} RETURNING "{key}"', [_given(field, values) for field in fields], then=told)


def write(row: models.Model) -> None:
    """A new instance is a row, and has its id. One that came with its id may be sent together with others."""
    values = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    if row.pk is None:
        del values[row._meta.pk.attname]
        row.pk = insert(type(row), **values)
    else:
        append(type(row), **values)
    row._state.adding, row._state.db = False, "default"


def change(
    model: type[models.Model], *, where: Mapping[str, Any], otherwise: Exception | None = None, **values: Any
) -> None:
    """The rows in which every column of `where` equals its value hold these values.

    Where that is not exactly one row, `otherwise` is raised: inside `together` when the statements are sent.
    """
    sql, fields = _change(model, tuple(where), tuple(values), exactly_one=otherwise is not None)
    say_later(sql, [*(_given(field, values) for field in fields), *where.values()], otherwise=otherwise)


def say(sql: str, given: Sequence[Any]) -> Rows:
    """The rows of one statement, at once; what was to be sent before it goes in the same message."""
    batch = getattr(_local, "batch", None) or _Batch()
    batch.pending.append(_Said(sql, given))
    rows: Rows = batch.flush()[-1]
    return rows


def say_later(
    sql: str,
    given: Sequence[Any],
    *,
    otherwise: Exception | None = None,
    then: Callable[[Rows], None] | None = None,
) -> None:
    """The statement is sent together with others, if there are; `then` is given its rows.

    With `otherwise`, its last parameter is its place, for `journal_one_row`.
    """
    batch = getattr(_local, "batch", None) or _Batch()
    batch.pending.append(_Said(sql, given, otherwise, then))
    if batch is not getattr(_local, "batch", None):
        batch.flush()


@cache
def _insertion(model: type[models.Model], names: tuple[str, ...]) -> tuple[str, tuple[models.Field, ...]]:
    _know(model, names)
    fields = tuple(field for field in model._meta.concrete_fields if field.attname in names or _has_default(field))
    columns = ", ".join(f'"{field.column}"' for field in fields)
    places = ", ".join(f"${place}" for place in range(1, len(fields) + 1))
    return f'INSERT INTO "{model._meta.db_table}" ({columns}) VALUES ({places})', fields  # noqa: S608  names come from the models


@cache
def _pair(
    model: type[models.Model],
    names: tuple[str, ...],
    beside: type[models.Model],
    by: str,
    more: tuple[str, ...],
) -> tuple[str, tuple[models.Field, ...], tuple[models.Field, ...]]:
    first, fields = _insertion(model, names)
    _know(beside, (by, *more))
    columns = {field.attname: field for field in beside._meta.concrete_fields}
    places = ", ".join(f"${place}" for place in range(len(fields) + 1, len(fields) + len(more) + 1))
    named = ", ".join(f'"{columns[name].column}"' for name in (by, *more))
    second = f'INSERT INTO "{beside._meta.db_table}" ({named}) SELECT told.id, {places} FROM told'  # noqa: S608  names come from the models
    sql = f'WITH told AS ({first} RETURNING "{model._meta.pk.column}" AS id) {second}'
    return sql, fields, tuple(columns[name] for name in more)


@cache
def _change(
    model: type[models.Model], where: tuple[str, ...], names: tuple[str, ...], *, exactly_one: bool
) -> tuple[str, tuple[models.Field, ...]]:
    _know(model, where + names)
    columns = {field.attname: field for field in model._meta.concrete_fields}
    sets = ", ".join(f'"{columns[name].column}" = ${place}' for place, name in enumerate(names, 1))
    holds = " AND ".join(f'"{columns[name].column}" = ${place}' for place, name in enumerate(where, len(names) + 1))
    sql = f'UPDATE "{model._meta.db_table}" SET {sets} WHERE {holds}'  # noqa: S608  names come from the models
    if exactly_one:
        place = len(names) + len(where) + 1
        sql = f"WITH met AS ({sql} RETURNING 1) SELECT {ONE_ROW}(count(*), ${place}) FROM met"  # noqa: S608  as above
    return sql, tuple(columns[name] for name in names)


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
        return _json(value) if field.encoder is None else json.dumps(value, cls=field.encoder)
    return value
