"""An amount is said as people read it, and no digit of it is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proposals.amounts import spoken


@pytest.mark.parametrize(
    ("minor", "digits", "language", "said"),
    [
        (1250, 2, "en", "12.50 EUR"),
        (1250, 2, "fr", "12,50\u00a0EUR"),
        (5, 2, "en", "0.05 EUR"),
        (450000, 2, "en-GB", "4,500.00 EUR"),
        (450000, 2, "fr-CA", "4\u202f500,00\u00a0EUR"),
        (1250, 0, "en", "1,250 EUR"),
        (-1250, 3, "en", "-1.250 EUR"),
        (1250, 2, "de", "12.50 EUR"),
    ],
)
def test_an_amount_is_said_as_people_read_it(minor: int, digits: int, language: str, said: str) -> None:
    assert spoken(minor, digits=digits, currency="EUR", language=language) == said


@given(st.integers(min_value=-(2**53), max_value=2**53), st.integers(min_value=0, max_value=4))
def test_the_digits_said_are_the_digits_given(minor: int, digits: int) -> None:
    for language in ("en", "fr"):
        said = spoken(minor, digits=digits, currency="EUR", language=language)
        assert int("".join(sign for sign in said if sign in "-0123456789")) == minor
