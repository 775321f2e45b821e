"""Makes model instances of the columns of a statement written by hand, without a query and without JSON between."""

import json
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from django.db import models

Row = TypeVar("Row", bound=models.Model)


class Shape(Generic[Row]):
    """The columns of a model in a statement, all or those named (by attribute); the others are read when asked for."""

    def __init__(self, model: type[Row], *names: str, without: Sequence[str] = ()) -> None:
        fields = [
            field
            for field in model._meta.concrete_fields
            if (not names or field.attname in names) and field.attname not in without
        ]
        self._model = model
        self._names = [field.attname for field in fields]
        self._columns = [str(field.column) for field in fields]
        self._spelt: list[tuple[int, Callable[[str], Any]]] = [
            (place, json.loads) for place, field in enumerate(fields) if isinstance(field, models.JSONField)
        ]

    def columns(self, alias: str) -> str:
        """As they stand in a SELECT."""
        return ", ".join(f'{alias}."{column}"' for column in self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def made(self, values: Sequence[Any]) -> Row:
        """The instance of these values, in the order of the columns."""
        given = list(values)
        for place, read in self._spelt:
            if given[place] is not None:
                given[place] = read(given[place])
        return self._model.from_db("default", self._names, given)
