"""FF-46: only plainly allowed addresses, when the file is read and again when the connection is made."""

import socket

import pytest

from systems.adapters import connecting
from systems.adapters.base import Delivery
from systems.addresses import UnsafeAddress, base_address, checked_ip
from systems.conformance.bytesserver import reply, says
from tests.systems.conftest import Start, desk, order

HOSTS = frozenset(
    ("erp.example.com", "127.0.0.1", "::1", "10.0.0.5", "169.254.169.254", "localhost", "erp", "2130706433", "8.8.8.8")
)


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/",
        "https://169.254.169.254",
        "http://127.0.0.1:6379",
        "https://10.0.0.5",
        "https://[::1]",
        "https://[::ffff:127.0.0.1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://[2002:7f00:1::]/",
        "http://2130706433/",
        "https://0x7f000001/",
        "https://127.1/",
        "https://0177.0.0.1/",
        "https://localhost",
        "https://db.internal",
        "https://erp",
        "https://erp.example.com@127.0.0.1/",
        "https://user:password@erp.example.com/",
        "https://other.example.com",
        "https://erp.example.com.evil.test",
        "http://erp.example.com",
        "ftp://erp.example.com",
        "erp.example.com",
        "https://erp.example.com/?x=1",
        "https://erp.example.com/#x",
        "https://erp.example.com/a/../b",
        "https://erp.example.com//a",
        "https://erp.example.com\\@evil.test",
        "https://erp.example.com:99999",
        "https://erp.example.com:x",
        "https:///x",
        "https://",
        "",
        "https://erp.example.com/a b",
        "https://\u0435rp.example.com",
        "https://erp\uff0eexample.com",
        "https://0.0.0.0",
        "https://224.0.0.1",
        "https://[fe80::1%25eth0]",
    ],
)
def test_an_unsafe_base_address_is_refused(url: str) -> None:
    with pytest.raises(UnsafeAddress):
        base_address(url, hosts=HOSTS, allow_private=False)


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("https://ERP.example.com/", "https://erp.example.com"),
        ("https://erp.example.com:443/api/v2/", "https://erp.example.com/api/v2"),
        ("https://erp.example.com:8443", "https://erp.example.com:8443"),
        ("https://8.8.8.8", "https://8.8.8.8"),
    ],
)
def test_a_plain_allowed_address_is_taken(url: str, base: str) -> None:
    assert base_address(url, hosts=HOSTS, allow_private=False).url == base


@pytest.mark.parametrize("url", ["http://127.0.0.1:8900", "https://10.0.0.5", "http://[::1]:80", "http://localhost:1"])
def test_private_addresses_need_their_own_word(url: str) -> None:
    assert base_address(url, hosts=HOSTS, allow_private=True)


@pytest.mark.parametrize(
    "text",
    [
        *("169.254.169.254", "169.254.170.2", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::"),
        *("100.100.100.200", "::ffff:100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254"),
        *("0.0.0.0", "224.0.0.1", "fe80::1", "::", "240.0.0.1", "255.255.255.255"),
    ],
)
def test_no_word_allows_link_local_metadata_multicast_or_unspecified_addresses(text: str) -> None:
    with pytest.raises(UnsafeAddress):
        checked_ip(text, allow_private=True)


def public(base_url: str):
    """A system that may only live at public addresses."""
    return desk(
        base_url,
        edit=lambda text: text.replace("allow_private: true", "allow_private: false").replace(
            "127.0.0.1, localhost, ", ""
        ),
    )


def rebind(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """Names resolve to these addresses, one answer after the other; the list returned notes each lookup."""
    asked: list[str] = []
    real = socket.getaddrinfo

    def answer(host: str, port: int, *rest: int, **more: int) -> list[tuple]:
        if host != "desk.test":
            return real(host, port, *rest, **more)
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in answers[len(asked) - 1]]

    monkeypatch.setattr(connecting.socket, "getaddrinfo", answer)
    return asked


@pytest.mark.parametrize("answer", [["127.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["169.254.169.254"], ["::ffff:10.0.0.1"]])
def test_a_name_that_leads_inside_is_never_connected_to(
    serve: Start, monkeypatch: pytest.MonkeyPatch, answer: list[str]
) -> None:
    server = serve(says(reply()))
    rebind(monkeypatch, answer)
    adapter = public(f"https://desk.test:{server.port}")
    got = adapter.submit(adapter.prepare(order()), seconds_left=1)
    assert (got.delivery, got.fault) == (Delivery.NEVER_SENT, "address")
    assert server.connections == 0


def test_the_address_that_was_checked_is_the_one_connected_to(serve: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(says(reply(b'{"id":"X-1","ref":"R-1"}', status=201)))
    asked = rebind(monkeypatch, ["127.0.0.1"], ["169.254.169.254"])
    adapter = desk(server.url("desk.test"))
    assert adapter.submit(adapter.prepare(order()), seconds_left=1).success
    assert asked == ["desk.test"]
    assert f"Host: desk.test:{server.port}".encode() in server.requests[0]
    again = adapter.submit(adapter.prepare(order()), seconds_left=1)
    assert (again.delivery, again.fault) == (Delivery.NEVER_SENT, "address")
    assert server.connections == 1
