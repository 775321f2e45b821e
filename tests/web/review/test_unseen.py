"""What a reader could not see becomes visible."""

import pytest
from django.utils.translation import override

from web.formatting.unseen import hides_something, reveal


@pytest.mark.parametrize("hidden", ["\u200b", "\u202e", "\u2066", "\u00ad", "\u3164", "\U000e0041", "\u0000", "\u2028"])
def test_a_character_that_cannot_be_seen_becomes_a_badge(hidden: str) -> None:
    shown = reveal(f"pay{hidden}ment")
    assert hidden not in shown
    assert f"⟦U+{ord(hidden):04X}⟧" in shown


def test_a_long_run_of_spaces_is_counted() -> None:
    assert "⟦U+00A0 ×300⟧" in reveal("a" + "\u00a0" * 300 + "b")


def test_ordinary_french_is_left_alone() -> None:
    text = "L’été, à 17\u00a0h\u202f: «\u00a0d’accord\u00a0»"
    assert not hides_something(text)


def test_a_word_of_mixed_alphabets_is_marked() -> None:
    with override("en"):
        assert "mixed alphabets" in reveal("\u0410CME-17")
    assert hides_something("p\u0430yment")


def test_markup_is_inert() -> None:
    assert "<img" not in reveal('"><img src=x onerror=alert(1)>')
