"""What the arguments of a contract may look like: closed, described, self-contained, bounded in depth."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import jsonschema
import jsonschema_rs


class Complaint(NamedTuple):
    """What keeps a schema from describing arguments, and where; `code` is one of proposals.findings, if any."""

    path: tuple[str | int, ...]
    reason: str
    code: str = ""


_NAMED = ("properties", "patternProperties", "$defs", "dependentSchemas")
_LISTED = ("prefixItems", "allOf", "anyOf", "oneOf")
_SINGLE = ("items", "contains", "not", "if", "then", "else", "propertyNames", "unevaluatedItems")
# These speak about the value that the surrounding schema already describes.
_IN_PLACE = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"})
_TELLS_A_TYPE = frozenset({"type", "enum", "const", "$ref", "allOf", "anyOf", "oneOf"})
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def validator_of(schema: Mapping[str, Any]) -> jsonschema_rs.Draft202012Validator:
    """The validator that judges arguments: formats enforced, nothing fetched.

    Raises ValueError for a schema it cannot use.
    """
    return jsonschema_rs.Draft202012Validator(
        dict(schema), validate_formats=True, ignore_unknown_formats=False, offline=True
    )


def complaints(schema: Mapping[str, Any]) -> list[Complaint]:
    """Everything that keeps `schema` from describing arguments, each with its path inside the schema."""
    meta = jsonschema.Draft202012Validator(jsonschema.Draft202012Validator.META_SCHEMA)
    found = [Complaint(tuple(error.absolute_path), _short(error.message)) for error in meta.iter_errors(schema)]
    found = found or list(_walk(schema, (), closed_above=False, in_place=False))
    return found or list(_unusable(schema))


def _unusable(schema: Mapping[str, Any]) -> Iterator[Complaint]:
    try:
        validator_of(schema)
    except ValueError as error:
        yield Complaint((), _short(str(error).split("\n", 1)[0]))


def _walk(schema: Any, path: tuple[str | int, ...], *, closed_above: bool, in_place: bool) -> Iterator[Complaint]:
    if not isinstance(schema, Mapping):
        if path and path[-1] not in {"then", "else"}:
            yield Complaint(
                path, "must be a schema that says what it allows, not true or false.", "parameter_without_type"
            )
        return
    closed = schema.get("additionalProperties") is False or schema.get("unevaluatedProperties") is False
    yield from _self_contained(schema, path)
    if _may_be_object(schema, in_place=in_place) and not closed and not closed_above:
        yield Complaint(path, "an object must say additionalProperties: false.", "free_form_object")
    if schema.get("additionalProperties", False) is not False:
        yield Complaint((*path, "additionalProperties"), "must be false.", "free_form_object")
    if _is_list(schema) and "items" not in schema and "prefixItems" not in schema:
        yield Complaint(path, "a list must describe its items.", "list_without_items")
    for keyword, place, inner in _inside(schema):
        below = (*path, *place)
        if keyword == "properties" and not in_place:
            yield from _described(inner, below)
        yield from _walk(
            inner,
            below,
            closed_above=closed if keyword in _IN_PLACE else False,
            in_place=keyword in _IN_PLACE or keyword == "propertyNames" or (in_place and keyword == "properties"),
        )


def _inside(schema: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str | int, ...], Any]]:
    for keyword in _NAMED:
        for name, inner in schema.get(keyword, {}).items():
            yield keyword, (keyword, name), inner
    for keyword in _LISTED:
        for index, inner in enumerate(schema.get(keyword, ())):
            yield keyword, (keyword, index), inner
    for keyword in _SINGLE:
        if keyword in schema:
            yield keyword, (keyword,), schema[keyword]


def _described(schema: Any, path: tuple[str | int, ...]) -> Iterator[Complaint]:
    if not isinstance(schema, Mapping):
        return
    if not str(schema.get("description", "")).strip():
        reason = "a description is missing: a model reads nothing else about it."
        yield Complaint(path, reason, "parameter_without_description")
    if not _TELLS_A_TYPE & schema.keys():
        yield Complaint(path, "must say its type: without one it takes anything.", "parameter_without_type")


def _self_contained(schema: Mapping[str, Any], path: tuple[str | int, ...]) -> Iterator[Complaint]:
    for keyword in ("$ref", "$dynamicRef"):
        if not str(schema.get(keyword, "#")).startswith("#"):
            yield Complaint((*path, keyword), "must point inside this contract (#/…): nothing is fetched.")
    if "$id" in schema:
        yield Complaint((*path, "$id"), "is not allowed: it would move the references.")
    if schema.get("$schema", _DIALECT) != _DIALECT:
        yield Complaint((*path, "$schema"), f"must be {_DIALECT}.")


def _types(schema: Mapping[str, Any]) -> list[str]:
    said = schema.get("type", [])
    return [said] if isinstance(said, str) else list(said)


def _may_be_object(schema: Mapping[str, Any], *, in_place: bool) -> bool:
    return "object" in _types(schema) or (not in_place and "properties" in schema)


def _is_list(schema: Mapping[str, Any]) -> bool:
    return "array" in _types(schema)


def _short(text: str) -> str:
    return (text if len(text) <= 200 else text[:199] + "…").rstrip(".") + "."
