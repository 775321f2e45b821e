"""When an observation proves, contradicts, or says nothing."""

from typing import Any

import pytest

from intents.evidence import Verdict, judge, judge_lookup, same
from tests.intents.replies import ARGUMENTS, CHECKS, OURS, RIGHT, effect


def verdict(fields: dict[str, Any], *, names_us: bool = True) -> Verdict:
    """The verdict over these fields."""
    return judge(CHECKS, arguments=ARGUMENTS, fields=fields, names_us=names_us).verdict


def test_every_rule_must_hold_on_an_observation_that_names_us() -> None:
    assert verdict(RIGHT) is Verdict.PROVES
    assert verdict(RIGHT, names_us=False) is Verdict.NOTHING


@pytest.mark.parametrize("missing", ["request_ref", "dossier_ref", "reason_code"])
@pytest.mark.parametrize("nothing", [None, ""])
def test_a_missing_field_proves_nothing_either_way(missing: str, nothing: Any) -> None:
    assert verdict({**RIGHT, missing: nothing}) is Verdict.NOTHING


def test_a_field_that_differs_contradicts_even_when_another_is_missing() -> None:
    assert verdict({"dossier_ref": "D-43"}) is Verdict.CONTRADICTS


def test_a_contract_that_verifies_nothing_proves_nothing() -> None:
    assert judge((), arguments={}, fields=RIGHT, names_us=True).verdict is Verdict.NOTHING


@pytest.mark.parametrize(
    ("one", "other"), [(True, 1), (1, "1"), ("a", "A"), (None, ""), ([1], [1, 2]), ({"a": 1}, {"a": True})]
)
def test_nothing_is_equal_by_coercion(one: Any, other: Any) -> None:
    assert not same(one, other)


def test_equal_json_values_are_equal() -> None:
    assert same({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]})
    assert same(9007199254740993, 9007199254740993)
    assert not same(9007199254740993, 9007199254740992)


def search(*found: Any, complete: bool = True) -> tuple[Verdict, str]:
    judgement = judge_lookup(CHECKS, arguments=ARGUMENTS, found=found, complete=complete, reference=OURS)
    return judgement.verdict, judgement.because


def test_a_search_proves_by_exactly_one_matching_effect_over_all_pages() -> None:
    assert search(effect()) == (Verdict.PROVES, "proven")
    assert search(effect(), complete=False) == (Verdict.NOTHING, "search_failed")


def test_an_empty_search_says_nothing() -> None:
    assert search() == (Verdict.NOTHING, "nothing_found")
    assert search(complete=False) == (Verdict.NOTHING, "search_failed")


def test_two_effects_or_another_effect_contradict() -> None:
    assert search(effect(), effect()) == (Verdict.CONTRADICTS, "duplicate")
    assert search(effect(dossier_ref="D-43")) == (Verdict.CONTRADICTS, "differs")
    assert search(effect(dossier_ref="D-43"), complete=False) == (Verdict.CONTRADICTS, "differs")


def test_a_reference_matches_exactly_and_never_by_its_beginning() -> None:
    assert search(effect(reference=OURS + "0")) == (Verdict.NOTHING, "nothing_found")
    assert search(effect(reference=OURS[:-1])) == (Verdict.NOTHING, "nothing_found")
