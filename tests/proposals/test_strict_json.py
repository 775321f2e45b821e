"""Strict JSON: one reading or none."""

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from journal.digests import canonical
from proposals.arguments import MAX_EXACT, Malformed, parse, parse_json

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20)
NUMBERS = st.integers(-MAX_EXACT, MAX_EXACT) | st.floats(-1e15, 1e15)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)


@settings(deadline=None)
@given(VALUES)
def test_what_is_read_and_what_is_stored_mean_the_same(value: object) -> None:
    read = parse_json(json.dumps(value).encode())
    stored = canonical(read)
    assert canonical(parse(stored)) == stored
    assert parse_json(stored) == read


@settings(deadline=None)
@given(VALUES, st.integers(0, 3))
def test_whitespace_and_key_order_change_nothing(value: object, indent: int) -> None:
    plain = parse_json(json.dumps(value, sort_keys=True).encode())
    spread = parse_json(json.dumps(value, indent=indent).encode())
    assert canonical(plain) == canonical(spread)


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused_and_never_crash(raw: bytes) -> None:
    with contextlib.suppress(Malformed):
        canonical(parse_json(raw))


@pytest.mark.parametrize(
    "raw",
    [
        b'{"amount_minor":100,"currency":"EUR","amount_minor":450000}',
        b'{"amount_minor":100,"amount\\u005fminor":450000}',
        b'{"lines":[{"sku":"a","sku":"b"}]}',
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b'{"a":1e999}',
        b'{"a":"\\ud83d"}',
        b'{"a":"x\\u0000y"}',
        b'{"x\\u0000y":1}',
        b'{"a":' + b"[" * 20_000,
        b'{"a":' + b"[" * 40 + b"]" * 40 + b"}",
        b'{"a":' + b"9" * 5_000 + b"}",
        b'{"a":9007199254740992}',
        b'{"a":-1e300}',
        b'\xef\xbb\xbf{"a":1}',
        b'{"a":"\xff"}',
        '{"a":1}'.encode("utf-16"),
        b'{"a":1,}',
        b"{'a':1}",
        b'```json\n{"a":1}\n```',
        b'{"a":1} thanks',
        b'{"order_id":"ORD-000123","amount_minor":12',
        b"",
        b" ",
    ],
)
def test_text_with_two_readings_or_none_is_refused(raw: bytes) -> None:
    with pytest.raises(Malformed):
        parse_json(raw)


def test_a_refusal_says_where_and_repeats_nothing_of_a_secret() -> None:
    with pytest.raises(Malformed) as number:
        parse_json(b'{"arguments":{"ledger_ref":9007199254740993}}')
    assert number.value.pointer == "/arguments/ledger_ref"
    with pytest.raises(Malformed) as twice:
        parse_json(b'{"password=hunter22":1,"password=hunter22":2}')
    assert "hunter22" not in twice.value.detail
