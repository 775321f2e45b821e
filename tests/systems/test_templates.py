"""Values fill places; they never change the host, the path, the headers or the shape of a request."""

import json
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from systems.adapters.base import CannotPrepare
from systems.adapters.templating import (
    ROOTS,
    TemplateError,
    compile_json,
    compile_path,
    compile_text,
    render_headers,
    render_json,
    render_path,
)
from tests.systems.conftest import desk, order

ADAPTER = desk("http://127.0.0.1:9")


def body(template: object, **arguments: object) -> bytes:
    return render_json(compile_json(template, roots=ROOTS), {"arguments": arguments, "target": "D-1"})


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("ORD/1", "/orders/ORD%2F1"),
        ("a?x=1", "/orders/a%3Fx%3D1"),
        ("a#b", "/orders/a%23b"),
        ("%2e%2e", "/orders/%252e%252e"),
        ("...", "/orders/..."),
        ("a b\u00e9", "/orders/a%20b%C3%A9"),
        ("@evil.test", "/orders/%40evil.test"),
        ("http://evil.test", "/orders/http%3A%2F%2Fevil.test"),
    ],
)
def test_a_value_stays_inside_its_segment(target: str, path: str) -> None:
    parts = urlsplit(ADAPTER.prepare(order(target=target)).url)
    assert (parts.netloc, parts.path, parts.query, parts.fragment) == ("127.0.0.1:9", path, "q=q", "")


@pytest.mark.parametrize(
    "target", ["", ".", "..", "ORD-000123/../../admin", "..\\x", "a/..", "a\nb", "a\x00", "\x7f", "\ud800"]
)
def test_a_value_that_could_climb_is_refused(target: str) -> None:
    with pytest.raises(CannotPrepare):
        ADAPTER.prepare(order(target=target))


@given(st.text(max_size=30), st.text(max_size=30))
@settings(max_examples=150, deadline=None)
def test_no_text_at_all_changes_host_path_depth_or_headers(target: str, queue: str) -> None:
    try:
        prepared = ADAPTER.prepare(order(target=target, queue=queue))
    except CannotPrepare:
        return
    parts = urlsplit(prepared.url)
    assert (parts.netloc, parts.path.count("/"), parts.fragment) == ("127.0.0.1:9", 2, "")
    assert prepared.url.isascii()
    assert parts.query.count("&") == 0
    assert json.loads(prepared.body)["thing"] == target


@pytest.mark.parametrize("reference", ["a\r\nX-Evil: 1", "a\nb", "a\x00b", " a", "\u00e9", "x" * 2001])
def test_a_header_takes_plain_text_only(reference: str) -> None:
    with pytest.raises(CannotPrepare):
        render_headers({"X-Ref": compile_text("{reference}", roots=ROOTS)}, {"reference": reference})


@pytest.mark.parametrize("value", [10**400, -1, 0, True, None, 1.5, "text", [1, {"a": None}], {"b": [2]}])
def test_a_lone_placeholder_keeps_the_json_type_digit_for_digit(value: object) -> None:
    assert body({"x": "{arguments.x}"}, x=value) == b'{"x":' + json.dumps(value, separators=(",", ":")).encode() + b"}"


def test_an_absent_optional_value_drops_what_holds_it_and_a_null_stays() -> None:
    template = {"a": "{arguments.a?}", "b": ["{arguments.a?}", 1], "c": "c={arguments.a?}", "d": "{arguments.d?}"}
    assert body(template, d=None) == b'{"b":[1],"d":null}'


def test_an_absent_needed_value_stops_the_preparation() -> None:
    with pytest.raises(CannotPrepare, match=r"arguments\.x"):
        body({"x": "{arguments.x}"})


@pytest.mark.parametrize("value", [float("nan"), [10**5000], {"a": object()}, "\ud800"], ids=range(4))
def test_a_value_that_json_cannot_say_stops_the_preparation(value: object) -> None:
    with pytest.raises(CannotPrepare):
        body({"x": "{arguments.x}"}, x=value)


def test_braces_are_written_twice_and_values_are_never_templates() -> None:
    assert body("{{{arguments.x}}}", x="{target}") == b'"{{target}}"'


@pytest.mark.parametrize(
    "source",
    ["{", "}", "{}", "{nothing}", "{arguments}", "{target.x}", "{arguments..x}", "{arguments.x", "{0}", "{a b}"],
)
def test_a_placeholder_that_nothing_fills_is_refused_when_the_file_is_read(source: str) -> None:
    with pytest.raises(TemplateError):
        compile_text(source, roots=ROOTS)


@pytest.mark.parametrize(
    "source",
    [
        "x",
        "//evil.test/{target}",
        "/a/../{target}",
        "/a?b={target}",
        "/a#b",
        "/./{target}",
        "/a\\b",
        "/a b",
        "/{target?}",
    ],
)
def test_a_path_that_is_not_plain_is_refused_when_the_file_is_read(source: str) -> None:
    with pytest.raises(TemplateError):
        compile_path(source, roots=ROOTS)


def test_two_places_in_one_segment_cannot_make_dots() -> None:
    template = compile_path("/x/{arguments.a}{arguments.b}", roots=ROOTS)
    assert render_path(template, {"arguments": {"a": "a", "b": 2}}) == "/x/a2"
    with pytest.raises(CannotPrepare):
        render_path(template, {"arguments": {"a": ".", "b": "."}})


def test_a_form_is_encoded_pair_by_pair() -> None:
    adapter = desk("http://127.0.0.1:9", edit=lambda text: text.replace("json: {thing", "form: {thing"))
    prepared = adapter.prepare(order(target="a&b=c", arguments={"n": 5}))
    assert prepared.body == b"thing=a%26b%3Dc&n=5&note=n%3D5&ref=R-1"
    assert ("Content-Type", "application/x-www-form-urlencoded") in prepared.headers


def test_the_same_order_always_has_the_same_digest_and_any_difference_another() -> None:
    same = {ADAPTER.prepare(order()).digest for _ in range(3)}
    others = [
        order(target="D-2"),
        order(observed_version=8),
        order(observed_version="x"),
        order(arguments={"n": 1}),
        order(arguments={"n": "1"}),
        order(reference="R-2"),
        order(queue="z"),
    ]
    assert len(same) == 1
    assert len(same | {ADAPTER.prepare(each).digest for each in others}) == 8


def test_an_order_without_a_version_carries_no_condition() -> None:
    names = [name for name, _ in ADAPTER.prepare(order(observed_version=None)).headers]
    assert "If-Match" not in names
