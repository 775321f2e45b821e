"""Contract files: one meaning, every complaint with file, line and field."""

import random

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from journal.digests import canonical
from proposals.contracts import contract_of, parse_contract
from proposals.models import ContractVersion
from systems.yamlfiles import FileError
from tests.proposals.files import CONTRACTS, contract_text

REVIEW = "ouvrir_revue_dossier-2"
FILES = sorted(CONTRACTS.glob("*.yaml"))


def complaints(text: str) -> list[tuple[int, str, str]]:
    with pytest.raises(FileError) as refused:
        parse_contract(text, "review.yaml")
    assert all(str(problem).startswith(f"review.yaml:{problem.line}: ") for problem in refused.value.problems)
    return [(problem.line, problem.field, problem.reason) for problem in refused.value.problems]


def line_of(text: str, piece: str) -> int:
    return text[: text.index(piece)].count("\n") + 1


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_contract_of_the_demo_is_sound_and_speaks_both_languages(file: object) -> None:
    document, contract = parse_contract(file.read_text(), file.name)
    assert file.stem == f"{contract.name}-{contract.version}"
    for language in ("en", "fr"):
        assert contract.title_for(language, "X-1")
        for name in contract.arguments.get("properties", {}):
            assert contract.argument_label(language, name) != name
        for code in (*contract.reasons.refuse, *contract.reasons.change):
            assert contract.reason_words(language, code) != code
    assert len(document["examples"]) >= 2


@pytest.mark.parametrize(
    ("old", "new", "at", "field"),
    [
        ("effect: write", "effect: maybe", "effect: maybe", "effect"),
        ("effect: write", "effects: write", "effects: write", "effects"),
        ("  quorum: 1", "  quorum: 0", "quorum: 0", "policy.quorum"),
        ("review_within: PT24H", "review_within: 24h", "review_within: 24h", "policy.review_within"),
        ("name: ouvrir_revue_dossier", "name: ouvrir revue", "name: ouvrir revue", "name"),
        ('version: "2"', "version: 2", "version: 2", "version"),
        ("target.state == 'active'", "target.state = 'active'", '- if: "target.state', "rules.0.if"),
        ("target.state == 'active'", "target.state", '- if: "target.state', "rules.0.if"),
        ("target.state == 'active'", "customer.state == 'x'", '- if: "customer', "rules.0.if"),
        (
            "{target: dossier_ref,",
            "{target: dossier,",
            "roles_of_arguments",
            "roles_of_arguments.target",
        ),
        (
            "material_arguments: [dossier_ref,",
            "material_arguments: [dossier,",
            "material_arguments",
            "material_arguments.0",
        ),
        (
            "equals arguments.reason_code",
            "equals arguments.reason",
            "reason_code: equals",
            "effect_to_verify.reason_code",
        ),
        ("  request_ref: present", "  request_ref: exists", "request_ref: exists", "effect_to_verify.request_ref"),
        ("Request {request_ref}", "Request {ticket}", 'en: "Request {ticket}', "statements.confirmed.en"),
        ("      type: integer", "      type: int", "      type: int", "arguments.properties.expected_version.type"),
        (
            "      minimum: 1\n",
            "      minimum: 1\n      $ref: https://example.org/x.json\n",
            "      $ref",
            "arguments.properties.expected_version.$ref",
        ),
        (
            '      description: "Version of the file that was read, a whole number such as 7. Never guess it."\n',
            "",
            "    expected_version:",
            "arguments.properties.expected_version",
        ),
        (
            "maximum: 9007199254740991",
            "maximum: 9007199254740992",
            "arguments:",
            "arguments",
        ),
        (
            "        ECART_MONTANT: {en:",
            "        ECART: {en:",
            "        ECART: {en:",
            "words.arguments.reason_code.values.ECART",
        ),
        ("{valid: false, arguments: {dossier_ref: d-42,", "{valid: false, arguments: {dossier_ref: D-42,", None, None),
        (
            "  compensation: annuler_revue_dossier",
            "  compensation: ouvrir_revue_dossier",
            "  compensation: ouvrir",
            "execution.compensation",
        ),
    ],
)
def test_a_mistake_is_told_with_its_line_and_field(old: str, new: str, at: str | None, field: str | None) -> None:
    text = contract_text(REVIEW, **{old: new})
    told = complaints(text)
    if at is None:
        assert [field for _, field, _ in told] == ["examples.2"]
        return
    assert (line_of(text, at), field) in [(line, field) for line, field, _ in told]


def test_all_mistakes_are_told_together_in_the_order_of_the_file() -> None:
    text = contract_text(REVIEW, **{"effect: write": "effect: maybe", "  quorum: 1": "  quorum: many"})
    assert [field for _, field, _ in complaints(text)] == ["effect", "policy.quorum"]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "description": "x"},
        {"type": "object", "properties": {}, "description": "x"},
        {"type": ["object", "null"], "description": "x"},
        {"type": "object", "additionalProperties": {"type": "string"}, "description": "x"},
        {"type": "array", "description": "x"},
        {"type": "array", "items": {"type": "object"}, "description": "x"},
        {"anyOf": [{"type": "string"}, {"type": "object"}], "description": "x"},
        {"description": "x"},
        {"type": "string"},
        {"type": "string", "format": "telephone", "description": "x"},
        {"type": "string", "pattern": "[", "description": "x"},
        {"$ref": "file:///etc/passwd", "description": "x"},
        {"$ref": "#/$defs/absent", "description": "x"},
        {"type": "string", "$id": "https://example.org/", "description": "x"},
        True,
    ],
)
def test_a_property_that_leaves_a_door_open_is_refused(schema: object) -> None:
    document = yaml.safe_load(contract_text("ledger_ping-1"))
    document["arguments"]["properties"] = {"extra": schema}
    assert complaints(yaml.safe_dump(document))


def test_shapes_that_only_narrow_a_closed_object_are_allowed() -> None:
    document = yaml.safe_load(contract_text("ledger_ping-1"))
    document["arguments"]["properties"] = {
        "kind": {"enum": ["a", "b"], "description": "Which."},
        "deep": {"$ref": "#/$defs/pair", "description": "Two numbers."},
    }
    document["arguments"]["$defs"] = {
        "pair": {"type": "array", "prefixItems": [{"type": "integer"}], "items": {"type": "integer"}}
    }
    document["arguments"]["if"] = {"required": ["kind"], "properties": {"kind": {"const": "a"}}}
    document["arguments"]["then"] = {"required": ["deep"]}
    document["examples"] = [{"arguments": {"kind": "a"}, "valid": False}, {"arguments": {"kind": "b"}, "valid": True}]
    parse_contract(yaml.safe_dump(document), "ping.yaml")


def test_an_example_on_which_two_validators_disagree_is_not_published() -> None:
    text = contract_text("refund_create-2", **{'2026-03-04T10:00:00Z"}}': '2026-06-30T23:59:60Z"}}'})
    assert any("disagree" in reason for _, _, reason in complaints(text))


@settings(deadline=None, max_examples=8)
@given(st.randoms(use_true_random=False))
def test_the_digest_does_not_see_the_order_of_keys_nor_the_spelling_of_numbers(chance: random.Random) -> None:
    def shuffled(value: object) -> object:
        if isinstance(value, dict):
            return {key: shuffled(value[key]) for key in chance.sample(sorted(value), len(value))}
        if isinstance(value, list):
            return [shuffled(item) for item in value]
        if isinstance(value, int) and not isinstance(value, bool):
            return chance.choice([value, float(value)])
        return value

    document = yaml.safe_load(contract_text("refund_create-2"))
    known = parse_contract(yaml.safe_dump(document), "x.yaml")[1]
    again = parse_contract(yaml.safe_dump(shuffled(document), sort_keys=False), "x.yaml")[1]
    assert again == known


def test_the_digest_sees_every_change_of_meaning() -> None:
    digests = {
        parse_contract(contract_text(REVIEW, **change), "x.yaml")[1].digest
        for change in ({}, {"PT30M": "PT29M"}, {"internal_review": "other_queue"}, {"No message": "A message"})
    }
    assert len(digests) == 4


def test_a_rule_about_arguments_alone_is_told_apart() -> None:
    contract = parse_contract(contract_text("archive_user_by_id-1"), "x.yaml")[1]
    assert [rule.argument_only for rule in contract.rules] == [True, False]
    assert contract.rules[0].compiled.judge({"args": {"user_id": "U-1", "confirm_user_id": "U-1"}}).holds


def test_stored_bytes_that_do_not_match_their_digest_are_never_used() -> None:
    version = ContractVersion(name="x", version="1", canonical=b"{}", digest="sha256:0")
    with pytest.raises(RuntimeError):
        contract_of(version)


def test_sentences_are_filled_from_facts_and_nothing_else() -> None:
    contract = parse_contract(contract_text(REVIEW), "x.yaml")[1]
    assert contract.title_for("fr-CA", "D-42") == "Ouvrir une revue interne de D-42"
    assert contract.statement("en", "confirmed", {"request_ref": "R-98", "dossier_ref": "{request_ref}"}) == (
        "Request R-98 was created on {request_ref}."
    )
    assert contract.statement("en", "expired", {}) == ""


def test_what_is_parsed_equals_what_is_read_from_the_stored_bytes() -> None:
    document, contract = parse_contract(contract_text(REVIEW), "x.yaml")
    version = ContractVersion(name="x", version="1", canonical=canonical(document), digest=contract.digest)
    assert contract_of(version) == contract
