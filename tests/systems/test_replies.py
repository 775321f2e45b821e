"""What an answer allows to be said: one meaning or none, and never more than a rule that held."""

import json

import pytest

from systems.adapters.base import Delivery, Missing, Observation, Unreachable
from systems.adapters.replies import excerpt, find
from systems.conformance.bytesserver import reply, says
from tests.systems.conftest import TOKEN, Start, desk, order

OK = b'{"id":"X-1","thing":"D-1","ref":"R-1"}'
THING = {"ref": "D-1", "label": "A thing", "state": "open", "version": 7, "site": "A", "size": 3}


def submitted(serve: Start, content: bytes):
    adapter = desk(serve(says(content)).url())
    got = adapter.submit(adapter.prepare(order()), seconds_left=1)
    assert got.delivery is Delivery.ANSWERED
    return got


def resolved(serve: Start, content: bytes, target: str = "D-1"):
    return desk(serve(says(content)).url()).resolve("open", target)


UNREADABLE = {
    "empty": reply(b"", status=201),
    "no content": b"HTTP/1.1 204 X\r\n\r\n",
    "a login page": reply(b"<html>Sign in</html>", kind="text/html"),
    "json under another type": reply(OK, status=201, kind="text/html"),
    "no type": b"HTTP/1.1 201 X\r\nContent-Length: 38\r\n\r\n" + OK,
    "two types": reply(OK, status=201, more="Content-Type: text/html\r\n"),
    "another charset": reply(OK, status=201, kind="application/json; charset=utf-16"),
    "a key twice": reply(b'{"id":"X-1","ref":"R-1","ref":"R-2"}', status=201),
    "a key twice, spelt otherwise": reply(b'{"id":"X-1","ref":"R-1","\\u0072ef":"R-2"}', status=201),
    "NaN": reply(b'{"id":NaN,"ref":"R-1"}', status=201),
    "an overflow": reply(b'{"id":1e400,"ref":"R-1"}', status=201),
    "a lone surrogate": reply(b'{"id":"\\ud800","ref":"R-1"}', status=201),
    "bad utf-8": reply(b'{"id":"\xff","ref":"R-1"}', status=201),
    "a byte order mark": reply(b"\xef\xbb\xbf" + OK, status=201),
    "too deep": reply(b'{"id":' + b"[" * 40 + b"]" * 40 + b',"ref":"R-1"}', status=201),
    "deep enough to overflow": reply(b"[" * 2000 + b"]" * 2000, status=201),
    "half of it": reply(b'{"id":"X-1"', status=201),
    "two documents": reply(OK + OK, status=201),
    "more than its length": reply(OK, status=201) + b"}",
    "another answer behind it": reply(OK, status=201) + reply(b"{}", status=500),
    "more than its length, after an interim answer": b"HTTP/1.1 103 X\r\nA: b\r\n\r\n" + reply(OK, status=201) + b" ",
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_a_2xx_without_one_meaning_is_whole_but_proves_nothing(serve: Start, case: str) -> None:
    got = submitted(serve, UNREADABLE[case])
    assert (got.fault, got.readable, got.success, got.refused) == (None, False, False, False)
    assert (got.reference, got.fields) == (None, {})
    assert got.unreadable_because


@pytest.mark.parametrize("before", [b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 X\r\nLink: <x>\r\n\r\n" * 3])
def test_an_interim_answer_changes_nothing(serve: Start, before: bytes) -> None:
    got = submitted(serve, before + reply(OK, status=201))
    assert (got.success, got.status) == (True, 201)


@pytest.mark.parametrize("kind", ["application/json", "Application/JSON; charset=UTF-8", "application/hal+json"])
def test_json_types_are_read(serve: Start, kind: str) -> None:
    assert submitted(serve, reply(OK, status=201, kind=kind)).success


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, OK),
        (201, b'{"ref":"R-1"}'),
        (201, b'{"id":"X","errors":[{"item":1}]}'),
        (201, b"[]"),
        (201, b"null"),
        (500, OK),
    ],
)
def test_success_needs_its_rule_and_a_2xx(serve: Start, status: int, body: bytes) -> None:
    got = submitted(serve, reply(body, status=status))
    assert got.readable
    assert not got.success


def test_a_rule_that_is_always_true_makes_no_success_of_a_redirect_or_a_202(serve: Start) -> None:
    def loose(text: str) -> str:
        return text.replace("status == 201 && has(body.id) && !has(body.errors)", "true")

    seen = {}
    for status in (200, 202, 302, 404, 500):
        adapter = desk(serve(says(reply(OK, status=status))).url(), edit=loose)
        seen[status] = adapter.submit(adapter.prepare(order()), seconds_left=1)
    assert [status for status, got in seen.items() if got.success] == [200]
    assert [status for status, got in seen.items() if got.accepted] == [202]


@pytest.mark.parametrize(("status", "body"), [(202, b""), (202, OK), (201, b'{"id":"X-1","state":"accepted"}')])
def test_accepted_is_not_success(serve: Start, status: int, body: bytes) -> None:
    got = submitted(serve, reply(body, status=status))
    assert (got.accepted, got.success) == (True, False)


@pytest.mark.parametrize(
    ("status", "body", "refused"),
    [
        (409, b'{"error":"closed"}', True),
        (409, b'{"error":"exists"}', False),
        (409, b"closed", False),
        (409, b"", False),
        (422, b'{"error":"closed"}', False),
        (201, b'{"error":"closed"}', False),
    ],
)
def test_a_refusal_needs_its_code_and_its_shape(serve: Start, status: int, body: bytes, refused: bool) -> None:
    assert submitted(serve, reply(body, status=status)).refused is refused


def test_not_processed_needs_its_documented_code_and_condition(serve: Start) -> None:
    seen = [
        submitted(serve, reply(b"busy", status=503, kind="text/plain", more="Retry-After: 1\r\n")).not_processed,
        submitted(serve, reply(b"busy", status=503, kind="text/plain")).not_processed,
        submitted(serve, reply(b"{}", status=500, more="Retry-After: 1\r\n")).not_processed,
    ]
    assert seen == [True, False, False]


def test_a_reference_is_text_and_fields_come_from_2xx_only(serve: Start) -> None:
    assert submitted(serve, reply(b'{"id":"X-1","ref":12}', status=201)).reference is None
    got = submitted(serve, reply(b'{"error":"closed","id":"X-9","ref":"R-1"}', status=409))
    assert (got.reference, got.fields) == (None, {})


def test_a_huge_integer_in_an_answer_spoils_no_rule(serve: Start) -> None:
    got = submitted(serve, reply(b'{"id":"X-1","ref":"R-1","n":' + b"9" * 400 + b"}", status=201))
    assert got.success
    assert got.fields["n"] == int("9" * 400)


def test_an_excerpt_is_short_and_shows_no_secret_and_nothing_invisible() -> None:
    body = f'{{"echo":"{TOKEN}","password": "hunter22", "access_token":"abc.def"}} Bearer abcdefgh12345 \x1b[31m\u202e'
    text = excerpt(body.encode() + b"\x00" + b"z" * 5000, secrets=(TOKEN,))
    assert len(text) == 2000
    for hidden in (TOKEN, "hunter22", "abc.def", "abcdefgh12345", "\x1b", "\u202e", "\x00"):
        assert hidden not in text


def test_an_answer_that_echoes_our_credentials_is_masked(serve: Start) -> None:
    assert TOKEN not in submitted(serve, reply(f'{{"you": "{TOKEN}"}}'.encode(), status=400)).excerpt


def test_a_json_pointer_leads_where_it_says() -> None:
    document = {"a/b": [{"~": 1}], "": 2, "n": None}
    assert find("/a~1b/0/~0", document) == (True, 1)
    assert find("/", document) == (True, 2)
    assert find("/n", document) == (True, None)
    assert find("", document) == (True, document)
    assert [find(p, document)[0] for p in ("/x", "/a~1b/1", "/a~1b/-", "/a~1b/00", "/n/x")] == [False] * 5


class TestTargets:
    """A target is shown only by an answer that says everything needed about the very object asked for."""

    def test_a_whole_answer_shows_the_target(self, serve: Start) -> None:
        got = resolved(serve, reply(json.dumps(THING).encode()))
        assert isinstance(got, Observation)
        assert (got.target, got.label, got.state, got.version, got.scope) == ("D-1", "A thing", "open", 7, "A")
        assert got.attributes == {"size": 3}
        assert got.digest.startswith("sha256:")

    def test_a_404_is_missing(self, serve: Start) -> None:
        assert isinstance(resolved(serve, reply(b"{}", status=404)), Missing)

    @pytest.mark.parametrize("target", ["..", "", "a/../b"])
    def test_a_reference_that_cannot_be_one_is_missing_without_a_call(self, serve: Start, target: str) -> None:
        server = serve(says(reply(b"{}")))
        assert isinstance(desk(server.url()).resolve("open", target), Missing)
        assert server.connections == 0

    @pytest.mark.parametrize(
        "changes",
        [
            {"ref": "D-2"},
            {"ref": None},
            {"label": ""},
            {"label": 5},
            {"state": None},
            {"state": "a\nb"},
            {"site": None},
            {"site": ["A"]},
            {"version": None},
            {"version": True},
            {"version": 1.5},
        ],
    )
    def test_an_answer_that_does_not_say_it_all_is_unreachable(self, serve: Start, changes: dict) -> None:
        assert isinstance(resolved(serve, reply(json.dumps(THING | changes).encode())), Unreachable)

    @pytest.mark.parametrize(
        "content", [reply(b"{}", status=500), reply(b"<html>", kind="text/html"), b"", reply(b"{}")]
    )
    def test_an_answer_that_is_none_is_unreachable(self, serve: Start, content: bytes) -> None:
        assert isinstance(resolved(serve, content), Unreachable)

    def test_a_label_shows_nothing_invisible(self, serve: Start) -> None:
        got = resolved(serve, reply(json.dumps(THING | {"label": "evil\u202etxt\u0007 " + "x" * 999}).encode()))
        assert isinstance(got, Observation)
        assert got.label.isprintable() or "\ufffd" in got.label
        assert "\u202e" not in got.label
        assert len(got.label) == 300

    def test_a_version_may_be_the_entity_tag(self, serve: Start) -> None:
        adapter = desk(
            serve(says(reply(json.dumps(THING).encode(), more='ETag: W/"v9"\r\n'))).url(),
            edit=lambda text: text.replace("version: /version", "version: header:ETag"),
        )
        got = adapter.resolve("open", "D-1")
        assert isinstance(got, Observation)
        assert got.version == "v9"

    def test_an_operation_without_target_tells_its_answer(self, serve: Start) -> None:
        got = desk(serve(says(reply(b'{"ok":true}'))).url()).resolve("ping", None)
        assert isinstance(got, Observation)
        assert (got.target, got.scope, got.answer) == ("", "", {"ok": True})


def test_a_person_finds_the_effect_and_else_the_target() -> None:
    adapter = desk("http://127.0.0.1:9")
    assert adapter.person_url("open", {"id": "X/1"}) == "http://127.0.0.1:9/see/X%2F1"
    assert adapter.person_url("open", "D-1") == "http://127.0.0.1:9/things/D-1"
    assert adapter.person_url("open", {}) is None
    assert adapter.person_url("open", None) is None


def test_a_cancellation_is_asked_once_about_what_the_answer_named(serve: Start) -> None:
    server = serve(says(reply(b'{"done":true}')))
    got = desk(server.url()).cancel(order(), {"id": "X-1"})
    assert got.success
    assert [request.split(b"\r\n")[0] for request in server.requests] == [b"DELETE /orders/X-1 HTTP/1.1"]
