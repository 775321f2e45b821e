"""OAuth2 client credentials: a token that does not come means that nothing was sent, and a 401 repeats nothing."""

import socket
import time
from collections.abc import Callable, Iterator

import pytest

from systems.adapters import authenticating
from systems.adapters.base import Delivery, Observation, Unreachable
from systems.adapters.http import HttpAdapter
from systems.conformance.bytesserver import Behaviour, RawServer, close_silently, reply, reset, says, silence
from systems.yamlfiles import FileError
from tests.systems.conftest import Start, configured, desk, order

OK = reply(b'{"id":"X-1","thing":"D-1","ref":"R-1"}', status=201)
HEADER = "{header: {name: Authorization, prefix: Bearer, value: {env: DESK_TOKEN}}}"
OAUTH2 = """
  oauth2:
    token_url: TOKEN_URL
    client_id: {env: DESK_CLIENT}
    client_secret: {env: DESK_TOKEN}
    scope: orders.write orders.read
    within: PT0.3S"""


def token(text: str = "token-one", *, lives: object = 300, kind: str = "Bearer", **more: object) -> bytes:
    import json

    return reply(json.dumps({"access_token": text, "token_type": kind, "expires_in": lives, **more}).encode())


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    authenticating._tokens.clear()
    yield
    authenticating._tokens.clear()


Pair = tuple[HttpAdapter, RawServer, RawServer]


@pytest.fixture
def pair(serve: Start) -> Callable[..., Pair]:
    """An adapter, its token endpoint and its business system."""

    def start(tokens: Behaviour, behaviour: Behaviour | None = None, **changes: str) -> Pair:
        endpoint, system = serve(tokens), serve(behaviour or says(OK))
        block = OAUTH2
        for old, new in changes.items():
            block += f"\n    {old}: {new}"
        block = block.replace("TOKEN_URL", f"{endpoint.url()}/oauth/token")
        return desk(system.url(), edit=lambda text: text.replace(HEADER, block)), endpoint, system

    return start


def submitted(adapter: HttpAdapter, seconds: float = 1.0):
    return adapter.submit(adapter.prepare(order()), seconds_left=seconds)


def test_a_token_is_asked_for_before_the_request_and_carried_by_it_once(pair: Callable[..., Pair]) -> None:
    adapter, endpoint, system = pair(says(token()))
    assert endpoint.requests == [], "not when the file is read"
    adapter.prepare(order())
    assert endpoint.requests == [], "nor when the request is prepared: its bytes hold no token"
    assert submitted(adapter).success
    head, _, body = endpoint.requests[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /oauth/token HTTP/1.1")
    assert b"Authorization: Basic ZGVzay1jbGllbnQ6YS12ZXJ5LXNlY3JldC10b2tlbg==" in head
    assert body == b"grant_type=client_credentials&scope=orders.write+orders.read"
    assert b"Authorization: Bearer token-one" in system.requests[0]


def test_the_secret_may_stand_in_the_form(pair: Callable[..., Pair]) -> None:
    adapter, endpoint, _ = pair(says(token()), send_as="form", audience="https://desk.test/a&b")
    assert submitted(adapter).success
    head, _, body = endpoint.requests[0].partition(b"\r\n\r\n")
    assert b"authorization" not in head.lower()
    assert body.endswith(
        b"&audience=https%3A%2F%2Fdesk.test%2Fa%26b&client_id=desk-client&client_secret=a-very-secret-token"
    )


def test_a_token_is_kept_until_its_margin_and_serves_every_kind_of_call(pair: Callable[..., Pair]) -> None:
    adapter, endpoint, system = pair(says(token(lives=1)), says(reply(b"{}", status=404)), margin="PT0.6S")
    assert not isinstance(adapter.resolve("open", "D-1"), Observation)
    adapter.lookup(order())
    submitted(adapter)
    assert (endpoint.connections, system.connections) == (1, 3)
    time.sleep(0.45)
    submitted(adapter)
    assert (endpoint.connections, system.connections) == (2, 4)


@pytest.mark.parametrize("lives", [None, 0, -5, 10])
def test_a_token_that_tells_no_life_or_a_short_one_is_used_once(pair: Callable[..., Pair], lives: object) -> None:
    content = token() if lives is not None else token().replace(b'"expires_in": 300', b'"nothing_in": 300')
    adapter, endpoint, system = pair(says(token(lives=lives) if lives is not None else content))
    assert submitted(adapter).success
    assert submitted(adapter).success
    assert (endpoint.connections, system.connections) == (2, 2)


FAILURES: dict[str, Behaviour] = {
    "refused": says(reply(b'{"error":"invalid_client"}', status=401)),
    "broken": says(reply(b"{}", status=500)),
    "redirected": says(reply(b"", status=302, more="Location: http://127.0.0.1:1/\r\n")),
    "a login page": says(reply(b"<html>Sign in</html>", kind="text/html")),
    "no token": says(reply(b"{}")),
    "an empty token": says(token("")),
    "a token of two lines": says(token("a\r\nX-Evil: b")),
    "a token of two words": says(token("a b")),
    "a token for something else": says(token(kind="mac")),
    "a life in words": says(token(lives="soon")),
    "two tokens": says(token().replace(b'"token_type"', b'"access_token": "x", "token_type"', 1)),
    "reset": reset,
    "closed": close_silently,
    "silence": silence,
}


@pytest.mark.parametrize("case", FAILURES)
def test_a_token_that_does_not_come_means_that_nothing_was_sent(pair: Callable[..., Pair], case: str) -> None:
    adapter, endpoint, system = pair(FAILURES[case])
    got = submitted(adapter)
    assert (got.delivery, got.fault, got.status, got.excerpt) == (Delivery.NEVER_SENT, "token", None, "")
    assert (endpoint.connections, system.connections) == (1, 0), "asked once, and no downgrade to a call without"
    assert got.took < 0.8


def test_no_look_is_taken_without_a_token_either(pair: Callable[..., Pair]) -> None:
    adapter, _, system = pair(FAILURES["refused"])
    assert isinstance(adapter.resolve("open", "D-1"), Unreachable)
    assert (adapter.lookup(order()).complete, adapter.lookup(order()).fault) == (False, "token")
    assert system.connections == 0


def test_an_order_whose_time_is_over_asks_for_no_token(pair: Callable[..., Pair]) -> None:
    adapter, endpoint, system = pair(says(token()))
    assert submitted(adapter, seconds=0).fault == "too_late"
    assert (endpoint.connections, system.connections) == (0, 0)


def test_the_time_for_the_token_is_taken_from_the_time_of_the_request(pair: Callable[..., Pair]) -> None:
    def slow(connection: socket.socket) -> None:
        time.sleep(0.2)
        connection.sendall(token())

    adapter, _, system = pair(slow, silence)
    got = submitted(adapter, seconds=0.4)
    assert (got.delivery, got.fault) == (Delivery.MAYBE_SENT, "read_timeout")
    assert got.took < 0.35
    assert len(system.requests) == 1


def test_a_401_forgets_the_token_and_sends_nothing_twice(pair: Callable[..., Pair]) -> None:
    waiting = [token("token-one"), token("token-two")]
    answers = [reply(b'{"error":"expired token-one"}', status=401), OK]
    adapter, endpoint, system = pair(
        lambda connection: connection.sendall(waiting.pop(0)), lambda connection: connection.sendall(answers.pop(0))
    )
    got = submitted(adapter)
    assert (got.delivery, got.status, got.refused, got.success) == (Delivery.ANSWERED, 401, False, False)
    assert (endpoint.connections, system.connections) == (1, 1)
    assert "token-one" not in got.excerpt
    assert submitted(adapter).success, "another order, with a new token"
    assert b"Bearer token-two" in system.requests[1]


def test_no_secret_and_no_token_shows_anywhere(pair: Callable[..., Pair]) -> None:
    echo = reply(b'{"seen":"token-one and a-very-secret-token"}', status=400)
    adapter, _, _ = pair(says(token()), says(echo))
    shown = submitted(adapter).excerpt + repr(adapter) + repr(adapter.prepare(order()))
    for hidden in ("token-one", "a-very-secret-token", "ZGVzay1jbGllbnQ6"):
        assert hidden not in shown


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("TOKEN_URL", "http://169.254.169.254/token", "token_url"),
        ("TOKEN_URL", "http://elsewhere.test/token", "token_url"),
        ("TOKEN_URL", "http://desk.test@127.0.0.1/token", "token_url"),
        ("TOKEN_URL", "http://127.0.0.1:9/${NOWHERE}", "token_url"),
        ("within: PT0.3S", "within: PT1S", "within"),
        ("within: PT0.3S", "within: soon", ""),
        ("\n    within: PT0.3S", "", ""),
        ("{env: DESK_CLIENT}", "{env: NOBODY}", ""),
        ("{env: DESK_TOKEN}", "plain", "client_secret"),
        ("scope: orders.write orders.read", 'scope: "a\\nb"', "scope"),
    ],
)
def test_a_mistake_is_refused_when_the_file_is_read(old: str, new: str, field: str) -> None:
    block = OAUTH2.replace(old, new).replace("TOKEN_URL", "http://127.0.0.1:9/token")
    with pytest.raises(FileError) as caught:
        configured(lambda text: text.replace(HEADER, block))
    where = f"authentication.oauth2.{field}" if field else "authentication"
    assert where in str(caught.value)
    assert "a-very-secret-token" not in str(caught.value)
