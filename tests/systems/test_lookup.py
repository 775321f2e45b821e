"""Searching by reference: exact, over every page, in bounds, and honest about what it could not see."""

import json
import socket
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

import pytest

from systems.conformance.bytesserver import Behaviour, reply, says
from tests.systems.conftest import Start, desk, order

OURS = {"ref": "R-1", "id": "X-1", "thing": "D-1"}
OTHERS = {"ref": "R-10", "id": "X-10", "thing": "D-1"}


def page(*items: object, onward: object = None) -> bytes:
    return reply(json.dumps({"items": items, "next": onward}).encode())


def pages(serve: Start, *contents: bytes) -> Behaviour:
    """Answer each request with the next of these."""
    waiting = list(contents)
    return lambda connection: connection.sendall(waiting.pop(0))


def search(serve: Start, *contents: bytes, following: str = "{link: /next}"):
    server = serve(pages(serve, *contents))
    return desk(server.url(), following=following).lookup(order()), server


def test_an_exact_reference_is_found_and_a_longer_one_is_not(serve: Start) -> None:
    got, _ = search(serve, page(OTHERS, OURS, {"ref": "r-1"}, {"ref": 1}, {}, "R-1", None))
    assert (got.complete, got.fault) == (True, None)
    assert [(each.reference, each.fields) for each in got.found] == [("R-1", {"id": "X-1", "thing": "D-1"})]


def test_an_empty_list_is_complete_and_nothing_more(serve: Start) -> None:
    got, _ = search(serve, page())
    assert (got.found, got.complete) == ((), True)


def test_two_effects_with_our_reference_are_both_found(serve: Start) -> None:
    got, _ = search(serve, page(OURS, {**OURS, "id": "X-2"}))
    assert [each.fields["id"] for each in got.found] == ["X-1", "X-2"]
    assert len({each.digest for each in got.found}) == 2


@pytest.mark.parametrize("link", ["/orders?ref=R-1&page=2", "?page=2", "http://BASE/orders?page=2"])
def test_a_hit_on_the_second_page_is_found_by_link(serve: Start, link: str) -> None:
    waiting: list[Callable[[str], bytes]] = [
        lambda base: page(OTHERS, onward=link.replace("http://BASE", base)),
        lambda base: page(OURS),
    ]

    def behaviour(connection: socket.socket) -> None:
        connection.sendall(waiting.pop(0)(server.url()))

    server = serve(behaviour)
    got = desk(server.url()).lookup(order())
    assert (len(got.found), got.complete) == (1, True)
    assert b"page=2" in server.requests[1]


@pytest.mark.parametrize(
    ("following", "second"),
    [("{page: {parameter: p, size: 2}}", b"p=2"), ("{offset: {parameter: skip, size: 2}}", b"skip=2")],
)
def test_a_hit_on_the_second_page_is_found_by_number(serve: Start, following: str, second: bytes) -> None:
    got, server = search(serve, page(OTHERS, OTHERS), page(OURS), following=following)
    assert (len(got.found), got.complete) == (1, True)
    assert server.requests[1].split(b" ")[1] == b"/orders?ref=R-1&" + second


def linked(*items: object, header: str = "") -> bytes:
    return reply(json.dumps({"items": items}).encode(), more=f"Link: {header}\r\n" if header else "")


@pytest.mark.parametrize(
    "header",
    [
        '</orders?p=2>; rel="next"',
        "<?p=2>; rel=next",
        '</orders?p=1>; rel="first", </orders?p=2>; rel="prefetch next"; title="a, b; rel=\'last\'"',
    ],
)
def test_a_hit_on_the_second_page_is_found_by_the_link_header(serve: Start, header: str) -> None:
    got, server = search(serve, linked(OTHERS, header=header), linked(OURS), following='{link: "header:Link"}')
    assert (len(got.found), got.complete) == (1, True)
    assert server.requests[1].split(b" ")[1] == b"/orders?p=2"


@pytest.mark.parametrize(
    ("header", "complete"),
    [
        ('</orders?p=9>; rel="last"', True),
        ('</orders?p=9>; rel="nextish"', True),
        ('</orders?p=2>; rel="next", </orders?p=3>; rel="next"', False),
        ('<http://evil.test/orders>; rel="next"', False),
        ('<http://127.0.0.1:1@evil.test/orders>; rel="next"', False),
        ('<http://[::1>; rel="next"', False),
        ("/orders?p=2; rel=next", False),
        ('</orders?p=2>; rel="next', False),
    ],
)
def test_a_link_header_that_is_none_or_leads_away_is_not_followed(serve: Start, header: str, complete: bool) -> None:
    got, server = search(serve, linked(OURS, header=header), following='{link: "header:Link"}')
    assert (len(got.found), got.complete, server.connections) == (1, complete, 1)


SEARCHED = 'request: {method: POST, reads_only: "documented: guide, search", path: /search, BODY}'


@pytest.mark.parametrize(
    ("body", "following", "sent"),
    [
        (
            'json: {ref: "{reference}", n: 1}',
            "{page: {in: body, parameter: page, size: 2}}",
            [b'{"ref":"R-1","n":1}', b'{"ref":"R-1","n":1,"page":2}'],
        ),
        (
            'json: {ref: "{reference}", skip: 0}',
            "{offset: {in: body, parameter: skip, size: 2}}",
            [b'{"ref":"R-1","skip":0}', b'{"ref":"R-1","skip":2}'],
        ),
        ('form: {ref: "{reference}"}', "{page: {in: body, parameter: p, size: 2}}", [b"ref=R-1", b"ref=R-1&p=2"]),
    ],
)
def test_a_search_by_post_asks_the_next_page_in_its_body(
    serve: Start, body: str, following: str, sent: list[bytes]
) -> None:
    def edit(text: str) -> str:
        return text.replace('request: {path: /orders, query: {ref: "{reference}"}}', SEARCHED.replace("BODY", body))

    server = serve(pages(serve, page(OTHERS, OTHERS), page(OURS)))
    got = desk(server.url(), following=following, edit=edit).lookup(order())
    assert (len(got.found), got.complete) == (1, True)
    assert [request.partition(b"\r\n\r\n")[2] for request in server.requests] == sent
    assert all(request.startswith(b"POST /search ") for request in server.requests)


LISTED = """    list:
      request: {path: /orders, query: {from: "{since}", to: "{until}"}}
      found: "status == 200"
      items: /items
      reference: /ref
      extract: {id: /id}
      next: {link: /next}
"""


def listed(serve: Start, *contents: bytes):
    server = serve(pages(serve, *contents))
    adapter = desk(server.url(), edit=lambda text: text.replace("    cancel:\n", LISTED + "    cancel:\n"))
    began = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=1)))
    return adapter.list("open", since=began, until=began + timedelta(hours=1)), server


def test_a_list_tells_every_effect_with_a_reference_over_all_pages(serve: Start) -> None:
    got, server = listed(serve, page(OURS, {"id": "foreign"}, onward="?page=2"), page(OTHERS, {**OURS, "ref": 5}))
    assert [(each.reference, each.fields) for each in got.found] == [("R-1", {"id": "X-1"}), ("R-10", {"id": "X-10"})]
    assert (got.complete, got.fault) == (True, None)
    wanted = b"/orders?from=2026-03-01T11%3A00%3A00.000000Z&to=2026-03-01T12%3A00%3A00.000000Z"
    assert server.requests[0].split(b" ")[1] == wanted


def test_a_list_that_breaks_off_or_is_not_configured_is_incomplete(serve: Start) -> None:
    got, _ = listed(serve, page(OURS, onward="?page=2"), reply(b"{}", status=503))
    assert (len(got.found), got.complete, got.fault) == (1, False, "status_503")
    moment = datetime(2026, 3, 1, tzinfo=UTC)
    bare = desk("http://127.0.0.1:9").list("open", since=moment, until=moment)
    assert (bare.found, bare.complete, bare.fault) == ((), False, "not_declared")


@pytest.mark.parametrize(
    "link",
    [
        "http://evil.test/orders",
        "//evil.test/orders",
        "/admin?x=1",
        "http://127.0.0.1:1/orders",
        "/orders?ref=R-1",
        "x\ny",
        5,
        {"a": 1},
        "/orders?a=1#b",
    ],
)
def test_a_link_that_leads_away_is_not_followed_and_leaves_the_search_incomplete(serve: Start, link: object) -> None:
    got, server = search(serve, page(OURS, onward=link))
    assert (len(got.found), got.complete, got.fault) == (1, False, "paging")
    assert server.connections == 1


def test_too_many_pages_leave_the_search_incomplete(serve: Start) -> None:
    got, server = search(serve, *(page(onward=f"/orders?page={number}") for number in range(2, 9)))
    assert (got.complete, got.fault, server.connections) == (False, "too_many_pages", 3)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (reply(b"{}", status=500), "status_500"),
        (reply(b"{}"), "unreadable"),
        (reply(b'{"items":"x"}'), "unreadable"),
        (reply(b"<html>", kind="text/html"), "unreadable"),
        (reply(b'{"items":[],"items":[]}'), "unreadable"),
        (b"", "closed"),
        (page(*[OTHERS] * 200), "oversize"),
    ],
)
def test_a_search_that_fails_is_incomplete_and_finds_nothing(serve: Start, content: bytes, fault: str) -> None:
    got, _ = search(serve, content)
    assert (got.found, got.complete, got.fault) == ((), False, fault)


def test_a_fault_on_a_later_page_keeps_what_was_found(serve: Start) -> None:
    got, _ = search(serve, page(OURS, onward="?page=2"), reply(b"{}", status=503))
    assert (len(got.found), got.complete, got.fault) == (1, False, "status_503")


def test_all_pages_share_one_time_limit(serve: Start) -> None:
    def slow(connection: socket.socket) -> None:
        time.sleep(0.45)
        connection.sendall(page(onward=f"?page={len(server.requests) + 1}"))

    server = serve(slow)
    started = time.monotonic()
    got = desk(server.url()).lookup(order())
    assert (got.complete, got.fault) == (False, "read_timeout")
    assert time.monotonic() - started < 1.4


def test_an_operation_without_a_lookup_is_never_complete(serve: Start) -> None:
    got = desk(serve(says(page())).url()).lookup(order(operation="ping"))
    assert (got.found, got.complete, got.fault) == ((), False, "not_declared")
