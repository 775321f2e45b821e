"""A configured adapter against a server of bytes, in one line each."""

import datetime
import ipaddress
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from systems.adapters.base import Order
from systems.adapters.http import HttpAdapter
from systems.addresses import base_address
from systems.configuration import SystemConfig, read_system
from systems.conformance.bytesserver import Behaviour, RawServer

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


@dataclass(frozen=True)
class Authority:
    """A certificate authority of the tests; `file` is its certificate."""

    file: Path
    key: ec.EllipticCurvePrivateKey
    name: x509.Name

    def server(self, host: str = "127.0.0.1", *, days: int = 1) -> ssl.SSLContext:
        """A server's TLS context with a certificate for `host` that ends in `days`."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = _certificate(_name(host), self.name, key, self.key, days=days, host=host, authority=False)
        pem = certificate.public_bytes(serialization.Encoding.PEM) + _pem(key)
        file = self.file.with_name(f"{host}-{days}.pem")
        file.write_bytes(pem)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """A certificate authority that only these tests trust."""
    key, name = ec.generate_private_key(ec.SECP256R1()), _name("Tests")
    file = tmp_path_factory.mktemp("authority") / "ca.pem"
    certificate = _certificate(name, name, key, key, days=1, host=None, authority=True)
    file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    return Authority(file, key, name)


def _certificate(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    signer: ec.EllipticCurvePrivateKey,
    *,
    days: int,
    host: str | None,
    authority: bool,
) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=10))
        .not_valid_after(now + datetime.timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
    )
    if host:
        try:
            other: x509.GeneralName = x509.IPAddress(ipaddress.ip_address(host))
        except ValueError:
            other = x509.DNSName(host)
        builder = builder.add_extension(x509.SubjectAlternativeName([other]), critical=False)
    return builder.sign(signer, hashes.SHA256())


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
