"""A configured adapter against a server of bytes, in one line each."""

import ssl
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache

import pytest

from systems.adapters.base import Order
from systems.adapters.http import HttpAdapter
from systems.addresses import base_address
from systems.configuration import SystemConfig, read_system
from systems.conformance.bytesserver import Behaviour, RawServer
from tests.certificates import Authority, make_authority

SYSTEM = """
name: desk
title: {en: Desk, fr: Guichet}
base_url: BASE_URL
hosts: [127.0.0.1, localhost, desk.test]
allow_private: true
authentication: {header: {name: Authorization, prefix: Bearer, value: {env: DESK_TOKEN}}}
attempt_deadline: PT1S
timeouts: {connect: PT0.5S, resolve: PT1S, lookup: PT1S}
response_max_bytes: 4096
capabilities:
  echo: {value: true, source: documented}
  idempotency_key: {value: true, source: documented}
  conditional_write: {value: true, source: documented}
  lookup_by_reference: {value: true, source: documented}
  visibility_delay: {value: PT2M, source: documented}
  answer: {value: definitive, source: documented}
  cancellation: {value: true, source: documented}
operations:
  open:
    target:
      request: {path: "/things/{target}"}
      found: "status == 200"
      missing: "status == 404"
      extract: {ref: /ref, label: /label, state: /state, version: /version, scope: /site, attributes: {size: /size}}
    submit:
      request:
        method: POST
        path: "/orders/{target}"
        query: {q: "{queue}"}
        headers: {If-Match: '"{observed_version?}"', Idempotency-Key: "{reference}"}
        json: {thing: "{target}", n: "{arguments.n?}", note: "n={arguments.n?}", ref: "{reference}"}
      success: "status == 201 && has(body.id) && !has(body.errors)"
      accepted: "status == 202 || (has(body.state) && body.state == 'accepted')"
      reference: /ref
      extract: {id: /id, thing: /thing, n: /n}
      definitive:
        - status: 409
          when: "body.error == 'closed'"
          source: 'documented: guide, errors'
          means: {en: Closed., fr: Clos.}
      not_processed:
        - {status: 503, when: "headers['retry-after'] == '1'", source: 'documented: guide, errors'}
    lookup:
      request: {path: /orders, query: {ref: "{reference}"}}
      found: "status == 200"
      items: /items
      reference: /ref
      extract: {id: /id, thing: /thing}
      next: NEXT
      page_limit: 3
    cancel:
      request: {method: DELETE, path: "/orders/{fields.id}"}
      success: "status == 200"
    person_url: ["/see/{fields.id}", "/things/{target}"]
  ping:
    answer: {request: {path: /ping}, success: "body.ok == true", extract: {ok: /ok}}
"""
TOKEN = "a-very-secret-token"


def desk(base_url: str, *, following: str = "{link: /next}", edit: Callable[[str], str] = str) -> HttpAdapter:
    """The adapter of the system above at this address."""
    config = _read(
        edit(SYSTEM.replace("NEXT", following)), base_url if base_url.count(":") == 1 else base_url.rsplit(":", 1)[0]
    )
    address = base_address(base_url, hosts=config.hosts, allow_private=config.allow_private)
    return HttpAdapter(replace(config, address=address, base_url=address.url, person_base_url=address.url))


def configured(edit: Callable[[str], str]) -> SystemConfig:
    """The system above, edited, at an address where nobody is."""
    return _read(edit(SYSTEM.replace("NEXT", "{link: /next}")), "http://127.0.0.1:9")


@lru_cache
def _read(text: str, base: str) -> SystemConfig:
    """The file is read once for each edit and host; ports differ from test to test."""
    environ = {"DESK_TOKEN": TOKEN, "DESK_CLIENT": "desk-client"}
    return read_system(text.replace("BASE_URL", base), name="desk.yaml", environ=environ)


def order(**changes: object) -> Order:
    """An order to open something on D-1, at version 7."""
    values: dict[str, object] = {
        "operation": "open",
        "arguments": {},
        "target": "D-1",
        "observed_version": 7,
        "reference": "R-1",
        "queue": "q",
    }
    return Order(**(values | changes))  # type: ignore[arg-type]


Start = Callable[..., RawServer]


@pytest.fixture
def serve() -> Iterator[Start]:
    """Start a server of bytes that behaves like this: `serve(says(reply(b"{}")))`."""
    started: list[RawServer] = []

    def start(behaviour: Behaviour, *, tls: ssl.SSLContext | None = None) -> RawServer:
        started.append(RawServer(behaviour, tls))
        return started[-1]

    yield start
    for server in started:
        server.close()


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """A certificate authority that only these tests trust."""
    return make_authority(tmp_path_factory.mktemp("authority"))
