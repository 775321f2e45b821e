"""What changed between two revisions, field by field, a change of type included."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from web.formatting.values import spelt

ABSENT = object()


@dataclass(frozen=True)
class Change:
    """One field that differs. `before` and `after` are spelt for a reader, or None where the field was absent."""

    field: str
    before: str | None
    after: str | None
    type_changed: bool


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """Every difference of two sets of arguments, nested fields by pointer (`lines/0/qty`), in order of name."""
    return list(_changes(before, after, ""))


def _changes(before: Any, after: Any, path: str) -> Iterator[Change]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in sorted({*before, *after}):
            yield from _changes(before.get(name, ABSENT), after.get(name, ABSENT), _join(path, name))
    elif isinstance(before, list) and isinstance(after, list):
        for index in range(max(len(before), len(after))):
            yield from _changes(_at(before, index), _at(after, index), _join(path, str(index)))
    elif type(before) is not type(after) or before != after:  # true is not 1, 1 is not "1"
        differs = ABSENT not in (before, after) and type(before) is not type(after)
        yield Change(path, _spelt(before), _spelt(after), differs)


def _join(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name


def _at(items: list[Any], index: int) -> Any:
    return items[index] if index < len(items) else ABSENT


def _spelt(value: Any) -> str | None:
    return None if value is ABSENT else spelt(value)
