"""Whether the parts of a contract agree with each other, and with the business systems that are configured."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import jsonschema
import referencing

from journal.digests import canonical
from proposals.shapes import complaints, validator_of
from systems import cel
from systems.yamlfiles import Positions, Problem

Words = Mapping[str, str]

_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_.]*)\}")
_VARIABLES = {"target": "map", "args": "map", "requester": "map"}


@lru_cache(maxsize=1)
def contract_schema() -> Mapping[str, Any]:
    """The JSON Schema of contract files, also published for editors."""
    text = (Path(__file__).parent / "schemas" / "contract.schema.json").read_text(encoding="utf-8")
    schema: Mapping[str, Any] = json.loads(text)
    return schema


def filled(text: str, facts: Mapping[str, Any]) -> str:
    """The sentence with each {name} replaced by its fact; a name without a fact stays as it is written."""

    def fact(found: re.Match[str]) -> str:
        value = facts.get(found[1])
        return found[0] if value is None else str(value)

    return _PLACEHOLDER.sub(fact, text)


def rule_of(source: str) -> tuple[cel.Rule, bool]:
    """The compiled rule, and whether it looks at the arguments alone.

    Raises systems.cel.RuleError.
    """
    try:
        return cel.compile_rule(source, {"args": "map"}), True
    except cel.RuleError:
        return cel.compile_rule(source, _VARIABLES), False


def problems(document: Mapping[str, Any], positions: Positions) -> Iterator[Problem]:
    """Every disagreement inside a document that fits the schema."""
    schema = document["arguments"]
    wrong = complaints(schema)
    if wrong:
        yield from (positions.problem(("arguments", *one.path), one.reason, one.code) for one in wrong)
        return
    yield from _exact_numbers(document, positions)
    yield from _arguments(document, positions)
    yield from _rules(document, positions)
    yield from _sentences(document, positions)
    yield from _words(document, positions)
    yield from _effects(document, positions)
    yield from _examples(document, positions)


def _exact_numbers(document: Mapping[str, Any], positions: Positions) -> Iterator[Problem]:
    for key, value in document.items():
        try:
            canonical(value)
        except ValueError:
            yield positions.problem((key,), "holds a number or text that cannot be written exactly (see 2^53).")


def _arguments(document: Mapping[str, Any], positions: Positions) -> Iterator[Problem]:
    known = document["arguments"].get("properties", {})
    roles = document.get("roles_of_arguments", {})
    for role, name in roles.items():
        if name not in known:
            yield positions.problem(("roles_of_arguments", role), f"there is no argument {name}.")
    for index, name in enumerate(document.get("material_arguments", ())):
        if name not in known:
            yield positions.problem(("material_arguments", index), f"there is no argument {name}.")
    for name, said in document.get("effect_to_verify", {}).items():
        rule = said if isinstance(said, str) else said["rule"]
        argument = rule.partition(" arguments.")[2]
        if argument and argument not in known:
            yield positions.problem(("effect_to_verify", name), f"there is no argument {argument}.")
    yield from _target(document, positions, known, roles.get("target"))


def _target(
    document: Mapping[str, Any], positions: Positions, known: Mapping[str, Any], target: str | None
) -> Iterator[Problem]:
    if target not in known or target is None:
        return
    if target not in document["arguments"].get("required", ()):
        yield positions.problem(("roles_of_arguments", "target"), f"the argument {target} must be required.")
    if known[target].get("type") != "string":
        yield positions.problem(("roles_of_arguments", "target"), f"the argument {target} must be a string.")


def _rules(document: Mapping[str, Any], positions: Positions) -> Iterator[Problem]:
    targeted = "target" in document.get("roles_of_arguments", {})
    for index, rule in enumerate(document.get("rules", ())):
        path = ("rules", index, "if")
        try:
            rule_of(rule["if"])
            if not targeted:
                cel.compile_rule(rule["if"], {name: kind for name, kind in _VARIABLES.items() if name != "target"})
        except cel.RuleError as error:
            yield positions.problem(path, str(error) + ("" if targeted else " This contract has no target."))


def _sentences(document: Mapping[str, Any], positions: Positions) -> Iterator[Problem]:
    known = {f"arguments.{name}" for name in document["arguments"].get("properties", {})}
    target = {"target"} if "target" in document.get("roles_of_arguments", {}) else set()
    described = document.get("words", {}).get("arguments", {})
    amounts = {f"amounts.{name}" for name, about in described.items() if "amount" in about}
    allowed = {
        ("headline",): known | target | amounts,
        ("statements", "confirmed"): {*document["output"]["fields"], *target},
        ("statements", "answered"): {*document["output"]["fields"], *target},
    }
    for path, names in allowed.items():
        for language, text in _at(document, path).items():
            for name in sorted(set(_PLACEHOLDER.findall(text)) - names):
                yield positions.problem((*path, language), f"nothing fills {{{name}}}.")


def _words(document: Mapping[str, Any], positions: Positions) -> Iterator[Problem]:
    known = document["arguments"].get("properties", {})
    codes = {code for codes in document.get("reasons", {}).values() for code in codes}
    words = document.get("words", {})
    said: dict[str, Words] = {}
    for code, sentence in words.get("reasons", {}).items():
        said[code] = sentence
        if code not in codes:
            yield positions.problem(("words", "reasons", code), f"there is no reason {code}.")
    for name, about in words.get("arguments", {}).items():
        path = ("words", "arguments", name)
        if name not in known:
            yield positions.problem(path, f"there is no argument {name}.")
            continue
        yield from _amount(path, about.get("amount"), known, known[name], positions)
        for value, sentence in about.get("values", {}).items():
            if value not in [str(item) for item in known[name].get("enum", ())]:
                yield positions.problem((*path, "values", value), f"{value} is not a value of {name}.")
            if said.setdefault(value, sentence) != sentence:
                yield positions.problem((*path, "values", value), f"{value} has other words elsewhere.")


def _effects(document: Mapping[str, Any], positions: Positions) -> Iterator[Problem]:
    policy, execution = document["policy"], document["execution"]
    if document["effect"] == "none" and {"approver_roles", "quorum"} & policy.keys():
        yield positions.problem(("policy",), "a contract without effect is answered at once: nobody approves it.")
    if execution.get("compensation") == document["name"]:
        yield positions.problem(("execution", "compensation"), "a tool cannot undo itself.")


def _examples(document: Mapping[str, Any], positions: Positions) -> Iterator[Problem]:
    """Two independent validators judge each example: where they disagree, the schema means two things."""
    if not document.get("examples"):
        return
    ours = validator_of(document["arguments"])
    theirs = jsonschema.Draft202012Validator(
        document["arguments"],
        registry=referencing.Registry(),
        format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER,
    )
    for index, example in enumerate(document["examples"]):
        verdicts = ours.is_valid(example["arguments"]), theirs.is_valid(example["arguments"])
        if verdicts[0] != verdicts[1]:
            yield positions.problem(("examples", index), "two validators disagree about it: write the schema plainer.")
        elif verdicts[0] != example["valid"]:
            yield positions.problem(("examples", index), f"it is {'' if verdicts[0] else 'not '}valid.")


def disagreements(document: Mapping[str, Any], positions: Positions, systems: Mapping[str, Any]) -> Iterator[Problem]:
    """What the contract asks of a business system, and the configured `systems` (by name) do not offer."""
    execution = document["execution"]
    system = systems.get(execution["system"])
    if system is None:
        yield positions.problem(("execution", "system"), f"no business system {execution['system']} is configured.")
        return
    operation = system.operations.get(execution["operation"])
    if operation is None:
        reason = f"the business system {execution['system']} has no operation {execution['operation']}."
        yield positions.problem(("execution", "operation"), reason)
        return
    if document["effect"] == "write" and not operation.has("submit"):
        yield positions.problem(("execution", "operation"), "the operation only reads: it has no submit.")
    if "target" in document.get("roles_of_arguments", {}) and not operation.has("target"):
        yield positions.problem(("execution", "operation"), "the operation knows no target.")


def _at(document: Mapping[str, Any], path: tuple[str, ...]) -> Mapping[str, str]:
    value: Any = document
    for key in path:
        value = value.get(key, {})
    found: Mapping[str, str] = value
    return found


def _amount(
    path: tuple[Any, ...],
    amount: Mapping[str, Any] | None,
    known: Mapping[str, Any],
    schema: Mapping[str, Any],
    positions: Positions,
) -> Iterator[Problem]:
    """An amount is a whole number, beside a text argument that names its currency."""
    if amount is None:
        return
    if schema.get("type") != "integer":
        yield positions.problem((*path, "amount"), "an amount must be an integer of minor units.")
    if known.get(amount["currency"], {}).get("type") != "string":
        yield positions.problem((*path, "amount", "currency"), f"there is no text argument {amount['currency']}.")
