"""Makes model instances of rows that the database spelt as JSON (`to_jsonb`), without a query for each."""

import uuid
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from typing import Any, TypeVar

from django.db import models

Row = TypeVar("Row", bound=models.Model)
Reader = Callable[[Any], Any]

_READERS: dict[type[models.Field], Reader] = {
    models.DateTimeField: datetime.fromisoformat,
    models.UUIDField: uuid.UUID,
    models.BinaryField: lambda text: bytes.fromhex(text[2:]),  # spelt \x0a1b…
}


def instance(model: type[Row], row: Mapping[str, Any]) -> Row:
    """The instance of a row as `to_jsonb` spells it; a column left out is read when it is asked for.

    Times are aware, as the session's time zone (UTC) spells them.
    """
    names, values = [], []
    for column, name, reader in _columns(model):
        if column in row:
            value = row[column]
            names.append(name)
            values.append(value if reader is None or value is None else reader(value))
    return model.from_db("default", names, values)


@cache
def _columns(model: type[models.Model]) -> tuple[tuple[str, str, Reader | None], ...]:
    """Column, attribute and reader of every field, in the order in which instances take them."""
    return tuple((str(field.column), field.attname, _READERS.get(type(field))) for field in model._meta.concrete_fields)
