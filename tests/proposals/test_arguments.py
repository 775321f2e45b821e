"""Arguments against their contract: everything at once, nothing repaired."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proposals.arguments import check, defaults_not_given
from proposals.contracts import Contract, parse_contract
from tests.proposals.files import contract_text

GOOD = {"order_id": "ORD-000123", "amount_minor": 1250, "currency": "EUR"}


def refund() -> Contract:
    return parse_contract(contract_text("refund_create-2"), "refund_create-2.yaml")[1]


def pointers(arguments: Any) -> dict[str, str]:
    return {error.pointer: error.keyword for error in check(refund(), arguments)}


def test_arguments_that_fit_have_no_error() -> None:
    assert check(refund(), {**GOOD, "lines": [{"sku": "S1", "qty": 1}], "not_before": "2026-03-04T10:00:00Z"}) == []


def test_every_error_is_told_at_once_with_its_pointer() -> None:
    wrong = {"amount_minor": "1250", "currency": "eur", "surprise": 1, "lines": [{"sku": "S1", "qty": 0, "x/y": 1}]}
    assert pointers(wrong) == {
        "/order_id": "required",
        "/amount_minor": "type",
        "/currency": "enum",
        "/surprise": "additionalProperties",
        "/lines/0/qty": "minimum",
        "/lines/0/x~1y": "additionalProperties",
    }


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"memo": None}, "/memo"),
        ({"ledger_ref": "null"}, "/ledger_ref"),
        ({"amount_minor": True}, "/amount_minor"),
        ({"amount_minor": 12.5}, "/amount_minor"),
        ({"amount_minor": 2**53}, "/amount_minor"),
        ({"amount_minor": 10**400}, "/amount_minor"),
        ({"notify_customer": "false"}, "/notify_customer"),
        ({"currency": ' "EUR"'}, "/currency"),
        ({"lines": '[{"sku":"S1","qty":1}]'}, "/lines"),
        ({"not_before": "next Friday"}, "/not_before"),
        ({"not_before": "2026-02-30T10:00:00Z"}, "/not_before"),
        ({"not_before": "2026-03-04T10:00:00"}, "/not_before"),
        ({"not_before": "2026-03-04 10:00:00Z"}, "/not_before"),
        ({"not_before": "2026-03-04T10:00:00Z\n"}, "/not_before"),
        ({"not_before": 1772618400}, "/not_before"),
        ({"order_id": "ORD-000123\n"}, "/order_id"),
        ({"order_id": "ORD-\uff10\uff10\uff10\uff11\uff12\uff13"}, "/order_id"),
        ({"order_id": "ORD-000\u200b123"}, "/order_id"),
        ({"memo": "a\x00b"}, "/memo"),
        ({"memo": "\ud83d"}, "/memo"),
    ],
)
def test_nothing_is_coerced_or_repaired(change: dict[str, Any], pointer: str) -> None:
    assert set(pointers({**GOOD, **change})) == {pointer}


def test_text_that_spells_null_is_text() -> None:
    assert pointers({**GOOD, "memo": "null"}) == {}


@pytest.mark.parametrize("value", [None, "", [], "42", 42])
def test_arguments_are_an_object(value: Any) -> None:
    assert pointers(value) == {"": "type"}


def test_a_near_value_is_a_hint_and_not_a_repair() -> None:
    (error,) = check(refund(), {**GOOD, "currency": "eur"})
    assert (error.expected, error.received, error.hint) == (
        'one of: "EUR", "USD"',
        '"eur"',
        "Values are exact. Did you mean EUR?",
    )


def test_what_was_received_is_bounded_and_masked() -> None:
    (error,) = check(refund(), {**GOOD, "order_id": "Bearer " + "a" * 40})
    assert "aaaa" not in error.received
    (error,) = check(refund(), {**GOOD, "order_id": "x" * 5_000})
    assert len(error.received) <= 200


def test_an_identifier_hides_no_character() -> None:
    review = parse_contract(contract_text("ouvrir_revue_dossier-2", **{"D-[0-9]{1,8}": "D-.*"}), "x.yaml")[1]
    for hidden in "\u200b\u202e\u2066\u00ad\u3164\U000e0041\u00a0":
        wrong = {"dossier_ref": f"D-{hidden}42", "expected_version": 7, "reason_code": "DONNEE_A_VERIFIER"}
        (error,) = check(review, wrong)
        assert (error.pointer, error.keyword) == ("/dossier_ref", "visible")
        assert hidden not in error.received


def test_a_default_that_applies_is_told_and_never_filled_in() -> None:
    given_arguments = dict(GOOD)
    assert defaults_not_given(refund(), given_arguments) == {"/notify_customer": True}
    assert given_arguments == GOOD
    assert defaults_not_given(refund(), {**GOOD, "notify_customer": False}) == {}


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=10,
    )
)
def test_any_value_is_judged_without_a_crash(value: Any) -> None:
    assert check(REFUND, value)


REFUND = refund()
