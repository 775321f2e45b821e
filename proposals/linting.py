"""Reads a contract as a model and an approver would, and says what will go wrong; the codes stand in `findings`."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from proposals.contracts import Contract
from proposals.findings import Finding, Path, Severity
from proposals.likeness import OVERLAP, confusable, overlap
from proposals.sizes import tokens_of

MAX_TOKENS = 1_200  # of one contract; a model reads all of them before every call

_WHEN_NOT = re.compile(r"\b(do not|don['’]t|never) (use|call)\b|\bnot for\b|\bne pas utiliser\b|\butilisez pas\b", re.I)
_WHEN = re.compile(r"(?<!not )(?<!never )\buse (it |this |only )?(when|before|after|to|for|if|on)\b|\butilise", re.I)
_LIMITS = re.compile(r"\b(per call|at most|at least|up to|only|no more|no arguments?|par appel|au plus)\b|\d", re.I)
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_IDENTIFIES = frozenset({"id", "ids", "uuid", "guid", "ref", "refs", "reference", "numero"})
_DATES = frozenset({"date", "datetime", "timestamp", "deadline", "echeance", "at", "until", "since", "before", "after"})
_DESTROYING = """
    delete destroy remove erase purge wipe drop archive terminate
    supprimer effacer detruire purger archiver resilier
"""
_DESTROYS = frozenset(_DESTROYING.split())
_TIED = frozenset({"pattern", "enum", "const", "format", "$ref", "anyOf", "oneOf", "allOf"})


@dataclass(frozen=True)
class Neighbour:
    """Another tool that a model may choose instead."""

    name: str
    description: str


def lint(document: Mapping[str, Any], others: Iterable[Neighbour] = ()) -> list[Finding]:
    """Everything found in a contract's document that passed its checks; errors first, then in the file's order.

    `others` are the tools offered beside it; those of the same name (earlier versions) do not count.
    """
    beside = sorted((one for one in others if one.name != document["name"]), key=lambda one: one.name)
    found = [
        *_description(document["description"]),
        *_parameters(document["arguments"]),
        *_confirmation(document),
        *_neighbours(document, beside),
        *_whole(document),
    ]
    return sorted(found, key=lambda finding: finding.severity != Severity.ERROR)


def neighbour(contract: Contract) -> Neighbour:
    """A contract as the one beside another."""
    return Neighbour(contract.name, contract.description)


def _description(text: str) -> Iterator[Finding]:
    plain = " ".join(text.split())
    for code, wanted in (("missing_when_not", _WHEN_NOT), ("missing_when", _WHEN), ("missing_limits", _LIMITS)):
        if not wanted.search(plain):
            yield Finding(code, ("description",))


def _parameters(schema: Mapping[str, Any]) -> Iterator[Finding]:
    for name, path, about in _described(schema, ("arguments",)):
        kinds = about.get("type", [])
        types = {kinds} if isinstance(kinds, str) else set(kinds)
        if "string" in types and not _TIED & about.keys():
            yield from _text(name, path, about)
        if types & {"integer", "number"} and not _TIED & about.keys():
            yield from _number(name, path, about)
        if "array" in types and "maxItems" not in about:
            yield Finding("parameter_without_limit", path, {"name": name, "wanted": "maxItems"})


def _text(name: str, path: Path, about: Mapping[str, Any]) -> Iterator[Finding]:
    last = _parts(name)[-1:]
    if _IDENTIFIES & set(last):
        yield Finding("id_without_pattern", path, {"name": name})
    elif _DATES & set(last):
        yield Finding("date_without_format", path, {"name": name})
    elif "maxLength" not in about:
        yield Finding("parameter_without_limit", path, {"name": name, "wanted": "maxLength"})


def _number(name: str, path: Path, about: Mapping[str, Any]) -> Iterator[Finding]:
    for bound in ("minimum", "maximum"):
        if not {bound, f"exclusive{bound.capitalize()}"} & about.keys():
            yield Finding("parameter_without_limit", path, {"name": name, "wanted": bound})


def _confirmation(document: Mapping[str, Any]) -> Iterator[Finding]:
    """What destroys asks twice: a required argument that confirms, and a rule that compares it."""
    named = {*_parts(document["name"]), *_parts(document["execution"]["operation"])}
    if document["effect"] == "none" or not named & _DESTROYS:
        return
    rules = " ".join(rule["if"] for rule in document.get("rules", ()))
    confirming = [name for name in document["arguments"].get("required", ()) if "confirm" in name.casefold()]
    if not any(f"args.{name}" in rules for name in confirming):
        yield Finding("destructive_without_confirmation", ("arguments",))


def _neighbours(document: Mapping[str, Any], others: Iterable[Neighbour]) -> Iterator[Finding]:
    for other in others:
        share = overlap(document["description"], other.description)
        if share >= OVERLAP:
            names = {"other": other.name, "percent": str(round(100 * share))}
            yield Finding("overlapping_descriptions", ("description",), names)
    for name in confusable(document["name"], (other.name for other in others)):
        yield Finding("confusable_name", ("name",), {"other": name})


def _whole(document: Mapping[str, Any]) -> Iterator[Finding]:
    examples = {example["valid"] for example in document.get("examples", ())}
    if len(examples) < 2:
        yield Finding("no_examples", ("examples",))
    if not document["policy"].get("budget"):
        yield Finding("no_budget", ("policy", "budget"))
    tokens = tokens_of({key: document[key] for key in ("name", "description", "arguments")})
    if tokens > MAX_TOKENS:
        yield Finding("large_for_models", ("arguments",), {"tokens": str(tokens), "most": str(MAX_TOKENS)})


def _described(schema: Any, path: Path) -> Iterator[tuple[str, Path, Mapping[str, Any]]]:
    """Every parameter at every level, with its place; what a list holds goes by the list's name."""
    for name, about in schema.get("properties", {}).items():
        place = (*path, "properties", name)
        while isinstance(about, Mapping):
            yield name, place, about
            yield from _described(about, place)
            place, about = (*place, "items"), about.get("items")


def _parts(name: str) -> list[str]:
    """`confirmUserId` and `confirm_user_id` alike: confirm, user, id."""
    return [part.casefold() for part in _PARTS.findall(name)]
