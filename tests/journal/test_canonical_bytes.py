"""The quick way to canonical bytes spells what RFC 8785 spells, and refuses what it refuses."""

from typing import Any

import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from journal.digests import canonical

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**55), 2**55)
    | st.floats()
    | st.text(st.characters(codec=None), max_size=8)
    | st.sampled_from(["\ud83d", "\x00", "\x7f", "\u2028", "é", "e\u0301", "\U0001f512", '"\\\b\f\n\r\t/'])
)
NAMES = st.text(st.characters(codec=None), max_size=4) | st.sampled_from(["a", "A", "é", "\ufb33", "\U0001f600", "\r"])
VALUES = st.recursive(
    LEAVES, lambda parts: st.lists(parts, max_size=4) | st.dictionaries(NAMES, parts, max_size=5), max_leaves=12
)


def spelt(spell: Any, value: Any) -> bytes | str:
    try:
        return bytes(spell(value))
    except (ValueError, rfc8785.CanonicalizationError):
        return "refused"


@given(VALUES)
def test_canonical_bytes_are_those_of_rfc_8785_for_every_value(value: Any) -> None:
    assert spelt(canonical, value) == spelt(rfc8785.dumps, value)
