"""Strict YAML for files that people own: one meaning per file, and every complaint names file, line and field."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jsonschema
import referencing
import yaml

MAX_BYTES = 256 * 1024
MAX_DEPTH = 40

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Problem:
    """One complaint: `file:line: field: reason [code]`.

    The line is 0 when the file could not be read at all; the code is empty where no stable code names the complaint.
    """

    file: str
    line: int
    field: str
    reason: str
    code: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        said = f"{self.field}: {self.reason}" if self.field else self.reason
        return f"{place}: {said} [{self.code}]" if self.code else f"{place}: {said}"


class FileError(Exception):
    """A file cannot be used; `problems` holds every complaint, and `file`, `line`, `field`, `reason` the first."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems
        first = problems[0]
        self.file, self.line, self.field, self.reason = first.file, first.line, first.field, first.reason


class Positions:
    """Where each field of a file stands; lines count from 1."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._lines: dict[Path, int] = {}

    def mark(self, path: Path, line: int) -> None:
        self._lines[path] = line

    def line(self, path: Path) -> int:
        """The line of `path`, or of its nearest ancestor that stands in the file."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)

    def problem(self, path: Path, reason: str, code: str = "") -> Problem:
        """A complaint about `path`, with its line."""
        return Problem(self.name, self.line(path), ".".join(str(part) for part in path), reason, code)

    def error(self, path: Path, reason: str) -> FileError:
        """The same as an exception."""
        return FileError(self.problem(path, reason))


class _Loader(yaml.SafeLoader):
    """Composes nodes without aliases, with YAML 1.2's core scalars only: `no` is a word and `1:30` is not a number."""

    yaml_implicit_resolvers: dict[Any, Any] = {}

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]  # PyYAML's stubs leave it untyped
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.composer.ComposerError(None, None, "aliases are not allowed", event.start_mark)
        if getattr(event, "anchor", None):
            raise yaml.composer.ComposerError(None, None, "anchors are not allowed", event.start_mark)
        if getattr(event, "tag", None):
            raise yaml.composer.ComposerError(None, None, "tags are not allowed", event.start_mark)
        if self._depth >= MAX_DEPTH:
            raise yaml.composer.ComposerError(None, None, f"deeper than {MAX_DEPTH} levels", event.start_mark)
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(?:null|~|)$"), ["n", "~", ""])
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^-?(?:0|[1-9][0-9]*)$"), list("-0123456789"))
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^-?(?:0|[1-9][0-9]*)\.[0-9]+(?:[eE][-+]?[0-9]+)?$"), list("-0123456789")
)


def load_yaml(text: bytes | str, *, name: str) -> tuple[dict[str, Any], Positions]:
    """The file as plain values and the place of each; FileError for anything with two readings.

    Refused: more than 256 KiB, not UTF-8, duplicate keys, anchors, aliases, tags, several documents, keys that are
    not words. Scalars are strings, decimal integers and floats, `true`, `false`, `null`; the top is a mapping.
    """
    positions = Positions(name)
    node = _compose(_decoded(text, name), name)
    if not isinstance(node, yaml.MappingNode):
        raise FileError(Problem(name, 1, "", "the file must be a mapping of keys to values."))
    value = _value(node, (), positions)
    assert isinstance(value, dict)
    return value, positions


def _decoded(text: bytes | str, name: str) -> str:
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if len(raw) > MAX_BYTES:
        raise FileError(Problem(name, 0, "", f"the file is larger than {MAX_BYTES} bytes."))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise FileError(Problem(name, line, "", "the file is not valid UTF-8.")) from error


def _compose(text: str, name: str) -> Any:
    try:
        loader = _Loader(text)
        try:
            return loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 0
        raise FileError(Problem(name, line, "", f"not valid YAML: {error.problem or error.context}.")) from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise FileError(Problem(name, line, "", "a control character is not allowed.")) from error


def _value(node: Any, path: Path, positions: Positions) -> Any:
    if path not in positions._lines:
        positions.mark(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        return dict(_pairs(node, path, positions))
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, (*path, index), positions) for index, item in enumerate(node.value)]
    return _scalar(node, path, positions)


def _pairs(node: Any, path: Path, positions: Positions) -> Iterator[tuple[str, Any]]:
    seen: set[str] = set()
    for key_node, value_node in node.value:
        key, line = key_node.value, key_node.start_mark.line + 1
        if not isinstance(key, str) or key_node.tag != "tag:yaml.org,2002:str":
            raise FileError(Problem(positions.name, line, ".".join(map(str, path)), "a key must be a word; quote it."))
        if key in seen:
            raise FileError(Problem(positions.name, line, ".".join(map(str, (*path, key))), "the key is there twice."))
        seen.add(key)
        positions.mark((*path, key), line)
        yield key, _value(value_node, (*path, key), positions)


def _scalar(node: Any, path: Path, positions: Positions) -> Any:
    kind = node.tag.rsplit(":", 1)[-1]
    try:
        match kind:
            case "bool":
                return node.value == "true"
            case "null":
                return None
            case "int":
                return int(node.value)
            case "float":
                return float(node.value)
    except ValueError as error:  # an integer of thousands of digits
        raise positions.error(path, "the number is too long.") from error
    return node.value


def check_schema(document: Any, positions: Positions, *, schema: Mapping[str, Any], name: str) -> None:
    """The document fits the JSON Schema (2020-12); otherwise one FileError with every problem, in the file's order."""
    validator = jsonschema.Draft202012Validator(schema, registry=referencing.Registry())
    problems = {p for error in validator.iter_errors(document) for p in _problems(error, positions)}
    if problems:
        raise FileError(*sorted(problems, key=lambda p: (p.line, p.field, p.reason)))


def _problems(error: Any, positions: Positions) -> Iterator[Problem]:
    path: Path = tuple(error.absolute_path)
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = error.schema.get("properties", {})
        yield from (positions.problem((*path, key), "unknown key.") for key in error.instance if key not in known)
        return
    if error.validator in {"oneOf", "anyOf"} and error.context:
        yield from _problems(_closest(error), positions)
        return
    yield positions.problem(path, _sentence(error))


def _closest(error: Any) -> Any:
    """Of the alternatives, the one whose failure lies deepest: the author most likely meant that one."""
    return max(error.context, key=lambda inner: (len(inner.absolute_path), inner.validator != "type"))


def _sentence(error: Any) -> str:
    wanted = error.validator_value
    match error.validator:
        case "required":
            missing = [key for key in wanted if key not in error.instance]
            return f"missing: {', '.join(missing)}."
        case "type":
            return f"must be of type {wanted if isinstance(wanted, str) else ' or '.join(wanted)}."
        case "enum":
            return f"must be one of {', '.join(str(value) for value in wanted)}."
        case "const":
            return f"must be {wanted}."
        case "pattern":
            return f"must match {wanted}."
        case "minProperties" | "minItems" | "minLength":
            return "must not be empty." if wanted == 1 else f"must have at least {wanted}."
    message = str(error.message)
    return (message if len(message) <= 200 else message[:199] + "…").rstrip(".") + "."
