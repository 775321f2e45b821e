"""Templates of requests: values fill places, and can never change the host, the path or the shape."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from systems.adapters.base import CannotPrepare

ROOTS = frozenset({"arguments", "target", "observed_version", "reference", "queue", "fields"})
_PLACE = re.compile(r"\{\{|\}\}|\{(?P<name>[a-z_][A-Za-z0-9_.-]*)(?P<optional>\?)?\}|[{}]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_PATH_TEXT = re.compile(r"[A-Za-z0-9._~/:@!$&'()*+,;=-]*", re.ASCII)
_SEPARATORS = re.compile(r"[/\\]")
ABSENT: Any = object()


class TemplateError(ValueError):
    """A template cannot be used; the text is a sentence for its author."""


@dataclass(frozen=True)
class Place:
    """A placeholder: its dotted name, and whether its absence drops what holds it."""

    name: tuple[str, ...]
    optional: bool

    def value(self, data: Mapping[str, Any]) -> Any:
        """The value found, or ABSENT; CannotPrepare when it is absent and needed."""
        value: Any = data
        for part in self.name:
            value = value.get(part, ABSENT) if isinstance(value, Mapping) else ABSENT
            if value is ABSENT:
                break
        if value is ABSENT and not self.optional:
            raise CannotPrepare(f"The order has no value for {'.'.join(self.name)}.")
        return value


@dataclass(frozen=True)
class Text:
    """A string with places."""

    parts: tuple[str | Place, ...]

    @property
    def places(self) -> tuple[Place, ...]:
        return tuple(part for part in self.parts if isinstance(part, Place))

    @property
    def lone(self) -> Place | None:
        """The place, when the string is exactly one placeholder."""
        only = self.parts[0] if len(self.parts) == 1 else None
        return only if isinstance(only, Place) else None

    def render(self, data: Mapping[str, Any]) -> Any:
        """The text with every place filled, or ABSENT when an optional one is absent."""
        return _joined(self.parts, data, lambda text: text)


def compile_text(source: str, *, roots: frozenset[str]) -> Text:
    """The template; `{{` and `}}` stand for braces; TemplateError for a place that nothing fills."""
    parts: list[str | Place] = []
    end = 0
    for found in _PLACE.finditer(source):
        parts.append(source[end : found.start()])
        end = found.end()
        parts.append(_part(found, source, roots))
    parts.append(source[end:])
    return Text(tuple(_merged(parts)))


def _part(found: re.Match[str], source: str, roots: frozenset[str]) -> str | Place:
    if found.group() in {"{{", "}}"}:
        return found.group()[0]
    if not found["name"]:
        raise TemplateError(f"a brace in “{source[:60]}” opens no placeholder; write {{{{ for a brace.")
    name = tuple(found["name"].split("."))
    if name[0] not in roots:
        raise TemplateError(f"{{{found['name']}}} is not filled here; there are {', '.join(sorted(roots))}.")
    if (name[0] in {"arguments", "fields"}) != (len(name) > 1) or "" in name:
        raise TemplateError(f"{{{found['name']}}} does not name one value.")
    return Place(name, bool(found["optional"]))


def _merged(parts: list[str | Place]) -> Iterator[str | Place]:
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
            continue
        if text:
            yield text
        text = ""
        yield part
    if text:
        yield text


def _joined(parts: tuple[str | Place, ...], data: Mapping[str, Any], shape: Any) -> Any:
    pieces = []
    for part in parts:
        if isinstance(part, str):
            pieces.append(part)
            continue
        value = part.value(data)
        if value is ABSENT:
            return ABSENT
        pieces.append(shape(_as_text(value, part)))
    return "".join(pieces)


def _as_text(value: Any, place: Place) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, int, float)):
        return _json(value)
    raise CannotPrepare(f"The value of {'.'.join(place.name)} cannot stand inside a text.")


def compile_path(source: str, *, roots: frozenset[str]) -> Text:
    """A path template: begins with one slash, holds no query, no fragment, no dot segment of its own."""
    template = compile_text(source, roots=roots)
    for part in template.parts:
        if isinstance(part, str) and not _PATH_TEXT.fullmatch(part):
            raise TemplateError("a path holds plain characters and placeholders only; a query has its own key.")
    plain = "".join(part if isinstance(part, str) else "x" for part in template.parts)
    if not plain.startswith("/") or "//" in plain or {".", ".."} & set(plain.split("/")):
        raise TemplateError("a path begins with one slash and has no empty or dot segments.")
    if any(place.optional for place in template.places):
        raise TemplateError("a placeholder in a path cannot be optional.")
    return template


def render_path(template: Text, data: Mapping[str, Any]) -> str:
    """The path; every place is percent-encoded into its own segment; CannotPrepare for a value that could climb."""
    path = str(_joined(template.parts, data, _segment))
    if {".", ".."} & set(path.split("/")):
        raise CannotPrepare("A value would change the path of the request.")
    return path


def _segment(text: str) -> str:
    if not text or {".", ".."} & set(_SEPARATORS.split(text)) or _CONTROL.search(text):
        raise CannotPrepare("A value would change the path of the request.")
    return _quoted(text)


def _quoted(text: str) -> str:
    try:
        return quote(text, safe="")
    except UnicodeEncodeError as error:
        raise CannotPrepare("A value is not valid text.") from error


def render_query(templates: Mapping[str, Text], data: Mapping[str, Any]) -> str:
    """`a=1&b=2`, percent-encoded, in the file's order, without the absent; also the body of a form."""
    filled = ((name, template.render(data)) for name, template in templates.items())
    return "&".join(f"{_quoted(name)}={_quoted(value)}" for name, value in filled if value is not ABSENT)


def render_headers(templates: Mapping[str, Text], data: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The headers, without the absent; CannotPrepare for a value that is not plain printable ASCII."""
    filled = ((name, template.render(data)) for name, template in templates.items())
    return tuple((name, _header(name, value)) for name, value in filled if value is not ABSENT)


def _header(name: str, value: str) -> str:
    if not value.isascii() or not value.isprintable() or value != value.strip() or len(value) > 2_000:
        raise CannotPrepare(f"The value of the header {name} is not plain printable text.")
    return value


def compile_json(source: Any, *, roots: frozenset[str]) -> Any:
    """A JSON template: every string in it may hold places."""
    if isinstance(source, str):
        return compile_text(source, roots=roots)
    if isinstance(source, dict):
        return {key: compile_json(value, roots=roots) for key, value in source.items()}
    if isinstance(source, list):
        return [compile_json(value, roots=roots) for value in source]
    return source


def render_json(template: Any, data: Mapping[str, Any]) -> bytes:
    """The body as UTF-8: a string that is exactly one placeholder keeps the value's own JSON type, digit for digit."""
    body = _filled(template, data)
    try:
        return _json(None if body is ABSENT else body).encode()
    except UnicodeEncodeError as error:
        raise CannotPrepare("A value is not valid text.") from error


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (ValueError, TypeError, RecursionError) as error:
        raise CannotPrepare("A value cannot be written as JSON.") from error


def _filled(template: Any, data: Mapping[str, Any]) -> Any:
    if isinstance(template, Text):
        return template.lone.value(data) if template.lone else template.render(data)
    if isinstance(template, dict):
        pairs = ((key, _filled(value, data)) for key, value in template.items())
        return {key: value for key, value in pairs if value is not ABSENT}
    if isinstance(template, list):
        return [value for item in template if (value := _filled(item, data)) is not ABSENT]
    return template
