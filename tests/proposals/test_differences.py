"""Versions of a contract beside each other: every change is told in words, in both languages, and none in silence."""

import copy
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import call_command
from django.utils import translation

from proposals.changes import spanned
from proposals.differences import changes
from systems.durations import duration
from tests.proposals.files import contract_text
from tests.web.people import Person
from tests.world import World

REVIEW, REFUND = "ouvrir_revue_dossier-2", "refund_create-2"


def document(file: str = REVIEW) -> dict[str, Any]:
    return yaml.load(contract_text(file), Loader=yaml.CSafeLoader)


def told(before: dict[str, Any], after: dict[str, Any], language: str = "en") -> list[str]:
    with translation.override(language):
        return [change.sentence() for change in changes(before, after)]


def replaced(whole: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    after = copy.deepcopy(whole)
    here = after
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = value
    return after


@pytest.mark.parametrize(
    ("path", "value", "english", "french"),
    [
        (
            ("execution", "queue"),
            "fraud_desk",
            "A new recipient is notified: the result goes to the queue fraud_desk instead of internal_review.",
            "Un nouveau destinataire est prévenu : le résultat va à la file fraud_desk au lieu de internal_review.",
        ),
        (
            ("policy", "review_within"),
            "PT4H",
            "The longest time to sign goes from 1 day to 4 h.",
            "Le délai maximal pour signer passe de 1 jour à 4 h.",
        ),
        (
            ("policy", "quorum"),
            2,
            "The signatures needed go from 1 to 2.",
            "Le nombre de signatures passe de 1 à 2.",
        ),
        (
            ("policy", "requester_roles"),
            ["support"],
            "May ask now, too: support.|May not ask any more: case_manager.",
            "Peuvent désormais aussi demander : support.|Ne peuvent plus demander : case_manager.",
        ),
        (
            ("arguments", "properties", "expected_version", "maximum"),
            10,
            "expected_version may be at most 10 instead of 9007199254740991.",
            "expected_version peut aller jusqu’à 10 au lieu de 9007199254740991.",
        ),
        (
            ("rules",),
            [],
            "A rule is gone: “The file must be active.”",
            "Une règle disparaît : « Le dossier doit être actif. »",
        ),
        (
            ("reconciliation", "second_person"),
            True,
            "Two people conclude about an unknown outcome.",
            "Deux personnes concluent sur un résultat inconnu.",
        ),
        (
            ("effect_to_verify",),
            {"request_ref": "present", "dossier_ref": "equals arguments.dossier_ref"},
            "reason_code need not prove the effect any more.",
            "reason_code ne doit plus prouver l’effet.",
        ),
    ],
)
def test_a_change_is_told_in_words(path: tuple[str, ...], value: Any, english: str, french: str) -> None:
    before = document()
    after = replaced(before, path, value)
    assert told(before, after) == english.split("|")
    assert told(before, after, "fr") == french.split("|")


def test_two_versions_of_the_demo_differ_in_what_they_ask_for() -> None:
    said = told(document("ouvrir_revue_dossier-1"), document())
    assert "expected_version is asked for, and must be given." in said
    assert "reason_code takes more values: ECART_MONTANT." in said
    assert said.index("reason_code takes more values: ECART_MONTANT.") < len(said) - 1


def test_what_differs_in_the_other_language_only_is_shown_in_both() -> None:
    before = document()
    after = replaced(before, ("consequence", "fr"), "Une autre phrase.")
    (said,) = told(before, after)
    assert "Une autre phrase." in said


def test_a_budget_that_was_not_there_was_no_limit() -> None:
    before = replaced(document(), ("policy", "budget"), {})
    assert "An agent may ask 60/h; it was not limited." in told(before, document())


def test_the_same_meaning_is_no_change_however_it_is_written() -> None:
    before = document(REFUND)
    after = {**dict(reversed(before.items())), "version": "3", "examples": []}
    assert told(before, after) == []


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict) and value:
        return [leaf for key, inner in value.items() for leaf in leaves(inner, (*path, key))]
    return [path]


@pytest.mark.parametrize("file", [REVIEW, REFUND, "chercher_dossier-1"])
def test_no_field_changes_in_silence_and_every_sentence_is_whole_in_both_languages(file: str) -> None:
    whole = document(file)
    for path in leaves(whole):
        if path[0] in ("version", "examples", "name"):
            continue
        value: Any = whole
        for key in path:
            value = value[key]
        other = {bool: not value, int: 7, list: ["other"]}.get(
            type(value), "PT7H" if str(value)[:2] == "PT" else "other"
        )
        after = replaced(whole, path, [{"if": "true", "else": {"en": "x", "fr": "y"}}] if path == ("rules",) else other)
        if path[-1] == "probe_after":
            after = replaced(whole, path, ["PT7S"])
        english, french = told(whole, after), told(whole, after, "fr")
        assert english, path
        assert len(english) == len(french)
        assert all("%(" not in sentence for sentence in english + french)
        assert all(one != other for one, other in zip(english, french, strict=True)), (path, english)


def test_lengths_of_time_are_told_without_rounding() -> None:
    spans = {"PT90S": "1 min 30 s", "PT24H": "1 day", "P2DT3H": "2 days 3 h", "PT0.5S": "0.5 s", "PT0S": "0 s"}
    assert {text: spanned(duration(text)) for text in spans} == spans


def test_the_page_and_the_commands_tell_what_a_new_version_changes(world: World, tmp_path: Path) -> None:
    file = tmp_path / "review.yaml"
    text = contract_text(REVIEW, **{'version: "2"': 'version: "3"', "queue: internal_review": "queue: fraud_desk"})
    file.write_text(text)
    out = StringIO()
    call_command("publish_contract", str(file), by="owner", stdout=out)
    assert "What changes from ouvrir_revue_dossier@2:" in out.getvalue()
    assert "meaning: A new recipient is notified" in out.getvalue()
    out = StringIO()
    call_command("activate_contract", "ouvrir_revue_dossier@3", by="owner2", dry_run=True, stdout=out)
    assert "meaning: A new recipient is notified" in out.getvalue()
    owner = Person(world, "owner")
    page = owner.text("/contracts/ouvrir_revue_dossier/3/")
    assert "What changes from version 2" in page
    assert "A new recipient is notified" in page
    assert owner.open("/contracts/ouvrir_revue_dossier/3/?against=99").status_code == 200
    assert "A new recipient" not in owner.text("/contracts/ouvrir_revue_dossier/2/")
