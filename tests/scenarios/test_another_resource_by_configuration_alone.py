"""Another resource of the business system comes in by two files — a contract and a configuration — and no Python."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from intents.models import Intent
from proposals.models import ContractVersion
from systems.adapters import registry
from tests.processes import ROOT, Process
from tests.scenarios.conftest import Line
from tests.world import World


@pytest.fixture
def added(tmp_path: Path, world: World, child_env: dict[str, str]) -> Iterator[Path]:
    """A folder of configuration of its own, beside the ones that are there."""
    before = settings.SYSTEMS_DIR
    folder = tmp_path / "more-systems"
    folder.mkdir()
    settings.SYSTEMS_DIR = os.pathsep.join([before, str(folder)])
    child_env["SYSTEMS_DIR"] = settings.SYSTEMS_DIR
    yield folder
    settings.SYSTEMS_DIR = before
    registry.reload()


def refund_files(folder: Path) -> Path:
    """A configuration and a contract for refunds under names nobody has used before."""
    configuration = (ROOT / "sandbox" / "systems" / "payments.yaml").read_text()
    (folder / "billing.yaml").write_text(configuration.replace("name: payments", "name: billing", 1))
    contract = (ROOT / "sandbox" / "contracts" / "refund_create-2.yaml").read_text()
    contract = contract.replace("name: refund_create", "name: billing_refund", 1)
    file = folder.parent / "billing_refund-1.yaml"
    file.write_text(contract.replace("system: payments", "system: billing", 1))
    registry.reload()
    return file


def test_refunds_reach_confirmed_with_two_signatures_and_two_files(
    world: World, added: Path, start_web: Callable[..., str], start_worker: Callable[..., Process]
) -> None:
    file = refund_files(added)
    call_command("publish_contract", str(file), by="owner")
    call_command("activate_contract", "billing_refund@2", by="owner2", waiver="a test")
    line = Line(world, start_web())
    start_worker()
    agent = line.agent()
    arguments = {"order_id": "ORD-000123", "amount_minor": 1250, "currency": "EUR"}
    made = agent.propose(arguments, tool="billing_refund")
    assert made.status_code == 201, made.text
    proposal = made.json()["id"]
    line.person("approver").sign(proposal)
    assert agent.get(proposal)["status"] == "awaiting_approval", "one of two"
    line.person("approver2").sign(proposal)
    resource = agent.wait_for(proposal, "confirmed")
    (effect,) = world.sandbox.effects()
    assert resource["evidence"]["refund_ref"] == effect["ref"]
    assert {name: effect["arguments"][name] for name in arguments} == arguments
    assert Intent.objects.get().system == "billing"


@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (("quorum: 2", "quorum: two"), "quorum"),
        (("system: billing", "system: nowhere"), "system"),
        (("operation: refund", "operation: refnd"), "operation"),
        (("consequence_level: high", "consequence_level: enormous"), "consequence_level"),
        (("approver_roles:", "aprover_roles:"), "aprover_roles"),
    ],
)
def test_a_contract_file_with_an_error_is_named_by_file_line_and_field_and_nothing_is_published(
    world: World, added: Path, spoil: tuple[str, str], named: str
) -> None:
    file = refund_files(added)
    text = file.read_text()
    assert spoil[0] in text
    file.write_text(text.replace(*spoil, 1))
    before = ContractVersion.objects.count()
    with pytest.raises(CommandError) as refused:
        call_command("publish_contract", str(file), by="owner")
    assert f"{file.name}:" in str(refused.value)
    assert named in str(refused.value)
    line = int(str(refused.value).split(f"{file.name}:", 1)[1].split(":", 1)[0])
    assert 0 < line <= len(text.splitlines())
    assert ContractVersion.objects.count() == before
