"""FF-50: trouble with TLS; certificate faults are not sent, downgraded or sent elsewhere, a later cut is unknown."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from intents.models import Attempt
from systems.conformance.bytesserver import RawServer, before_reading, close_silently, reply, reset, says
from tests.certificates import make_authority
from tests.rewiring import replaced, rewired
from tests.world import World

DOSSIER = {"dossier_ref": "D-42", "label": "A file", "state": "active", "version": 7, "establishment": "A"}
SECRET = "a-secret-of-the-desk"


@pytest.fixture
def desk(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RawServer]:
    """The review desk lives behind TLS, with a certificate that the configuration trusts."""

    def act(connection: socket.socket) -> None:
        if server.requests[-1].startswith(b"POST"):
            reset(connection)
        else:
            connection.sendall(reply(json.dumps(DOSSIER).encode()))

    monkeypatch.setenv("DESK_SECRET", SECRET)
    authority = make_authority(tmp_path)
    server = RawServer(act, authority.server())
    edit = replaced(
        ("base_url: ${SANDBOX_URL}", f"base_url: {server.url()}\nca_file: {authority.file}"),
        ("authentication: none", "authentication: {header: {name: X-Api-Key, value: {env: DESK_SECRET}}}"),
    )
    with rewired(tmp_path / "systems", edit):
        yield server
    server.close()


def test_a_certificate_fault_sends_nothing_and_no_secret_and_goes_nowhere_else(
    world: World, desk: RawServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    intent = world.approved()
    own, other = make_authority(tmp_path), tmp_path / "other"
    other.mkdir()
    good, works = desk.tls, desk.behaviour
    troubles = {
        "expired": (make_authority(other).server(days=-1), works),
        "wrong host": (own.server("elsewhere.test"), works),
        "self-signed": (make_authority(other).server(), works),
        "handshake cut": (None, before_reading(close_silently)),
        "no TLS at all": (None, before_reading(says(reply(b"{}", status=400)))),
    }
    desk.requests.clear()
    for name, (desk.tls, desk.behaviour) in troubles.items():
        world.hand_over(intent)
        assert (name, world.status(intent), intent.waiting) == (name, "approved", "target_unreachable")
    assert not any(SECRET.encode() in heard or b"HTTP/" in heard for heard in desk.requests)
    assert Attempt.objects.count() == 0
    told = [record.getMessage() for record in caplog.records if record.name == "systems.adapters.http"]
    assert told == ["The business system reviews was sent nothing: tls"] * len(troubles), (
        "an operator is told each time"
    )
    assert world.sandbox.requests() == [], "no other host was tried"
    desk.tls, desk.behaviour = good, works
    assert world.status(world.hand_over(intent)) == "outcome_unknown", "sent once the certificate is good again"


def test_a_cut_after_the_order_was_written_is_unknown_and_asked_once(world: World, desk: RawServer) -> None:
    intent = world.done()
    assert world.status(intent) == "outcome_unknown"
    world.sweep()
    orders = [request for request in desk.requests if request.startswith(b"POST")]
    assert len(orders) == 1
    assert SECRET.encode() in orders[0]
