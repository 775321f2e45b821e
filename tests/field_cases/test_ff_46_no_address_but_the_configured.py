"""FF-46: the adapter as a way inside; only allow-listed hosts, when configured and when connected to."""

import time
from pathlib import Path

import pytest
import yaml

from approvals.refusals import Refusal
from systems.configuration import read_system
from systems.yamlfiles import FileError
from tests.processes import ROOT
from tests.rewiring import leading, replaced, rewired
from tests.world import World, contract_text

UNSAFE = (
    "http://169.254.169.254/",
    "https://169.254.169.254/",
    "http://100.100.100.200/",
    "https://[fd00:ec2::254]/",
    "https://[::ffff:169.254.169.254]/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://127.0.0.1@ok.example/",
    "http://ok.example@127.0.0.1/",
    "http://ok.example/",
    "http://ok.example.evil.test/",
    "file:///etc/passwd",
)


@pytest.mark.parametrize("address", UNSAFE)
@pytest.mark.parametrize("key", ["base_url", "person_base_url"])
def test_an_unsafe_address_is_refused_when_the_file_is_read_with_its_line(address: str, key: str) -> None:
    old = "base_url: ${SANDBOX_URL}\n"
    new = f'base_url: "{address}"\n' if key == "base_url" else f'{old}person_base_url: "{address}"\n'
    text = (ROOT / "sandbox" / "systems" / "reviews.yaml").read_text().replace(old, new)
    with pytest.raises(FileError, match=rf"reviews\.yaml:\d+: {key}: ") as caught:
        read_system(text, name="reviews.yaml", environ={"SANDBOX_URL": "http://127.0.0.1:9"})
    assert caught.value.line == text[: text.index(new.splitlines()[-1])].count("\n") + 1


def test_a_name_that_leads_inside_at_its_second_look_up_is_not_connected_to(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lives_at = leading(monkeypatch, ok_example="127.0.0.1")
    moved = world.sandbox.url.replace("127.0.0.1", "ok.example")
    with rewired(tmp_path / "systems", replaced(("${SANDBOX_URL}", moved), ("hosts: [", "hosts: [ok.example, "))):
        intent = world.approved()
        for inside in ("169.254.169.254", "100.100.100.200", "::ffff:169.254.169.254", "fd00:ec2::254"):
            lives_at["ok.example"] = inside
            began = time.monotonic()
            world.hand_over(intent)
            assert time.monotonic() - began < 1, "nobody even tried to connect"
            assert (world.status(intent), intent.waiting) == ("approved", "target_unreachable")
        assert world.sandbox.submissions() == []
        lives_at["ok.example"] = "127.0.0.1"
        assert world.status(world.hand_over(intent)) == "confirmed"


def test_a_look_that_is_sent_elsewhere_is_not_followed(world: World) -> None:
    inside = f"{world.sandbox.url}/_control/effects"
    world.sandbox.fault("redirect", route="GET /dossiers", status=302, location=inside, times=None)
    before = len(world.sandbox.requests())
    with pytest.raises(Refusal) as refused:
        world.propose()
    assert len(world.sandbox.requests()) == before + 1
    assert inside not in str(refused.value)


def test_an_argument_changes_neither_host_nor_path(world: World) -> None:
    """The contract's own pattern is taken away, so that only the adapter stands between."""
    loose = yaml.safe_load(contract_text("refund_create-2"))["arguments"]
    loose["properties"]["order_id"]["pattern"] = "^ORD"
    world.publish("refund_create-2", version="3", arguments=loose)
    for tail in ("/../../admin", "?x=1", "#x", "%2e%2e%2fadmin", "/..", "\\..\\admin", "\r\nX: y"):
        before = len(world.sandbox.requests())
        with pytest.raises(Refusal) as refused:
            world.refund(f"ORD-000123{tail}")
        assert refused.value.code in ("target_not_available", "invalid_arguments")
        paths = [request["path"] for request in world.sandbox.requests()[before:]]
        assert all(path.startswith("/orders/ORD-000123%") and path.count("/") == 2 for path in paths), paths
    assert world.sandbox.submissions() == []
