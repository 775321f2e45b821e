"""Strict JSON, and whether arguments fit their contract: every error at once, nothing repaired, nothing coerced."""

import difflib
import json
import math
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import msgspec

from proposals.contracts import Contract
from proposals.secrets import mask, token
from proposals.shapes import validator_of

MAX_DEPTH = 32
MAX_ERRORS = 50  # a sender mends what it is told and sends again; an answer is never many times the question
MAX_EXACT = 2**53 - 1  # beyond it, readers of JSON disagree about the digits
_SHOWN = 200
_validators: dict[str, Any] = {}


class Malformed(Exception):
    """The bytes are not one unambiguous JSON value; `pointer` is where, as far as it can be told."""

    def __init__(self, detail: str, pointer: str = "") -> None:
        super().__init__(detail)
        self.detail = detail
        self.pointer = pointer


@dataclass(frozen=True)
class ArgumentError:
    """One thing that does not fit. `pointer` counts from the arguments; `received` is bounded and masked."""

    pointer: str
    keyword: str
    expected: str
    received: str
    hint: str = ""


def parse_json(raw: bytes) -> Any:
    """The value of strict JSON text: UTF-8, one value, no duplicate keys, no NUL, at most 32 levels, exact numbers.

    Raises Malformed. Never repairs: text cut short stays an error.
    """
    try:
        # The first reader refuses lone surrogates, bad UTF-8, a BOM and 1e400; the second duplicate keys and NaN.
        msgspec.json.decode(raw)
        value = _DECODER.decode(raw.decode("utf-8"))
    except RecursionError as error:
        raise Malformed(f"The JSON is nested deeper than {MAX_DEPTH} levels.") from error
    except (ValueError, msgspec.DecodeError, msgspec.ValidationError) as error:
        raise Malformed(f"The body is not strict JSON: {_first_line(error)}") from error
    for pointer, detail in _unsafe(value, "", 1):
        raise Malformed(detail, pointer)
    return value


def parse(canonical: bytes | memoryview) -> Any:
    """The value of canonical bytes that we stored: the arguments of a revision, the version of its target."""
    return json.loads(bytes(canonical))


def check(contract: Contract, arguments: Any) -> list[ArgumentError]:
    """What keeps `arguments` from fitting the contract, in a stable order, at most fifty; empty when they fit."""
    unsafe = [_unsafe_error(pointer, detail) for pointer, detail in islice(_unsafe(arguments, "", 1), MAX_ERRORS)]
    if unsafe:  # a validator must not be given what it cannot carry
        return unsafe
    validator = _validators.get(contract.digest)
    if validator is None:
        validator = _validators[contract.digest] = validator_of(contract.arguments)
    fitting = (error for told in validator.iter_errors(arguments) for error in _errors(told, contract))
    found = list(islice(chain(fitting, _hidden(contract, arguments)), MAX_ERRORS))
    return sorted(found, key=lambda error: (error.pointer, error.keyword))


def defaults_not_given(contract: Contract, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Pointer → declared default, for each property that was not given: to be shown as such, never filled in."""
    return dict(_defaults(contract.arguments, arguments, ""))


def _pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(items)
    if len(value) != len(items):
        names = [name for name, _ in items]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {json.dumps(mask(twice)[:80])} is there twice")
    return value


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError("a number is out of range")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float)


def _unsafe(value: Any, pointer: str, depth: int) -> Iterator[tuple[str, str]]:
    """Values that a database, a digest or another reader would take otherwise: NUL, inexact numbers, great depth."""
    if isinstance(value, str):
        yield from _unsafe_text(value, pointer)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        if not -MAX_EXACT <= value <= MAX_EXACT:
            yield pointer, "The number is beyond 2^53: send it as text if the contract has a text argument for it."
    elif isinstance(value, (Mapping, list)):
        if depth > MAX_DEPTH:
            yield pointer, f"The JSON is nested deeper than {MAX_DEPTH} levels."
            return
        for key, item in value.items() if isinstance(value, Mapping) else enumerate(value):
            if isinstance(key, str):
                yield from _unsafe_text(key, pointer)
            yield from _unsafe(item, pointer + token(mask(str(key))[:_SHOWN]), depth + 1)


def _unsafe_text(text: str, pointer: str) -> Iterator[tuple[str, str]]:
    if "\x00" in text:
        yield pointer, "The character NUL (U+0000) is refused."
    elif not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        yield pointer, "A lone surrogate is not a character."


def _unsafe_error(pointer: str, detail: str) -> ArgumentError:
    return ArgumentError(pointer, "exact", "a value that every reader takes alike", "", detail)


def _errors(told: Any, contract: Contract) -> Iterator[ArgumentError]:
    pointer = "".join(token(mask(str(part))[:_SHOWN]) for part in told.instance_path)
    keyword, about = told.kind.name, told.kind.as_dict()
    match keyword:
        case "required":
            name = about["property"]
            yield ArgumentError(pointer + token(name), keyword, "present", "nothing", f"Give {name}.")
        case "additionalProperties" | "unevaluatedProperties":
            known = sorted(_known_at(contract.arguments, told.instance_path))
            for name in about["unexpected"]:
                place = pointer + token(mask(name)[:_SHOWN])
                expected = "one of: " + ", ".join(known) if known else "nothing here"
                yield ArgumentError(place, keyword, expected, shown(told.instance.get(name)), _near(name, known))
        case _:
            expected = _expected(keyword, about)
            yield ArgumentError(pointer, keyword, expected, shown(told.instance), _hint(keyword, about, told.instance))


def _expected(keyword: str, about: Mapping[str, Any]) -> str:
    match keyword:
        case "type":
            return " or ".join(about["types"])
        case "enum":
            return "one of: " + ", ".join(json.dumps(option, ensure_ascii=False) for option in about["options"])
        case "const":
            return json.dumps(about["expected_value"], ensure_ascii=False)
        case "pattern" | "format":
            return f"{keyword} {about[keyword]}"
        case "anyOf" | "oneOf":
            return "exactly one of the declared shapes" if keyword == "oneOf" else "one of the declared shapes"
    bound = about.get("limit", about.get("multiple_of"))
    return keyword if bound is None else f"{keyword} {bound}"


def _hint(keyword: str, about: Mapping[str, Any], received: Any) -> str:
    if keyword == "enum":
        return _near(str(received), [str(option) for option in about["options"]])
    if keyword == "type" and received is None:
        return "Leave the argument out instead of sending null."
    if keyword == "type" and isinstance(received, str):
        return f"Send the value itself, of type {' or '.join(about['types'])}, not a text that spells it."
    if keyword == "format" and about["format"] == "date-time":
        return "Write it as in 2026-03-04T10:00:00Z, with its zone."
    return ""


def _near(name: str, known: list[str]) -> str:
    """A hint, never a repair: the value nearest in spelling."""
    plain = {option.casefold(): option for option in known}
    wanted = name.strip(" \"'").casefold()
    found = difflib.get_close_matches(wanted[:80], list(plain), n=1, cutoff=0.7)
    return f"Values are exact. Did you mean {plain[found[0]]}?" if found else ""


def _known_at(schema: Mapping[str, Any], path: list[str | int]) -> set[str]:
    here: Any = schema
    for part in path:
        here = here.get("items", {}) if isinstance(part, int) else here.get("properties", {}).get(part, {})
    return set(here.get("properties", {})) if isinstance(here, Mapping) else set()


def shown(value: Any) -> str:
    """A value as JSON text that may be repeated in an answer: secrets masked, at most 200 characters."""
    text = mask(json.dumps(value, ensure_ascii=False, default=str))
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _hidden(contract: Contract, arguments: Any) -> Iterator[ArgumentError]:
    """Identifiers hold nothing that an approver cannot see; free text may, and the screen makes it visible."""
    if not isinstance(arguments, Mapping):
        return
    for name, schema in contract.arguments.get("properties", {}).items():
        value = arguments.get(name)
        is_identifier = name == contract.target_argument or bool({"pattern", "enum", "const"} & schema.keys())
        if isinstance(value, str) and is_identifier and any(_unseen(char) for char in value):
            yield ArgumentError(token(name), "visible", "visible characters only", shown(_escaped(value)))


def _unseen(char: str) -> bool:
    # Format, control, unassigned and private characters, odd spaces, and fillers that print as nothing.
    return not char.isascii() and (
        unicodedata.category(char) in {"Cf", "Cc", "Cn", "Co", "Zs", "Zl", "Zp"} or char in "\u115f\u1160\u3164\uffa0"
    )


def _escaped(text: str) -> str:
    return "".join(f"\\u{{{ord(char):x}}}" if _unseen(char) else char for char in text)


def _defaults(schema: Any, value: Any, pointer: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(schema, Mapping):
        return
    if isinstance(value, Mapping):
        for name, inner in schema.get("properties", {}).items():
            place = pointer + token(name)
            if name in value:
                yield from _defaults(inner, value[name], place)
            elif isinstance(inner, Mapping) and "default" in inner:
                yield place, inner["default"]
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _defaults(schema.get("items"), item, pointer + token(index))


def _first_line(error: Exception) -> str:
    """The reader's complaint, without any of the text it read."""
    text = mask(str(error).split("\n", 1)[0])
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
