"""A contract is rehearsed against the sandbox: every step is played with real orders, and counted there."""

import json
import os
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import DatabaseError

from approvals.models import Signature
from proposals.models import Proposal
from rehearsals.models import Rehearsal, Step
from systems.adapters import registry
from tests.world import World


def rehearse(*only: str, contract: str = "ouvrir_revue_dossier@2", against: str = "reviews") -> dict[str, Any]:
    """The report, as the command writes it; a rehearsal that fails is no error here."""
    out = StringIO()
    try:
        call_command("rehearse", contract, against=against, organization="demo", json="-", only=list(only), stdout=out)
    except CommandError:
        assert out.getvalue()
    report: dict[str, Any] = json.loads(out.getvalue())
    return report


def gaps(report: dict[str, Any]) -> dict[str, tuple[str, Any]]:
    """The gap and the observed value of every step that failed."""
    return {step["key"]: (step["gap"]["name"], step["gap"]["observed"]) for step in report["steps"] if step["gap"]}


def test_the_seed_contract_passes_with_every_step_proven_and_none_of_it_seen_elsewhere(world: World) -> None:
    report = rehearse()
    assert gaps(report) == {}
    assert report["verdict"] == "passed"
    verdicts = {step["key"]: step["verdict"] for step in report["steps"]}
    assert report["counts"] == {"planned": len(verdicts), "passed": len(verdicts) - 1, "failed": 0, "not_tried": 1}
    assert verdicts["idempotency_key"] == "not_tried", "it is not declared"
    counted = [one for step in report["steps"] for one in step["proof"].get("counted", ())]
    ledger = [one["client_ref"] for one in world.sandbox.effects() if not one["kind"].endswith(".cancelled")]
    assert all(ledger.count(one["reference"]) == one["by_ledger"] <= 1 for one in counted)
    version = Rehearsal.objects.get().contract
    assert (report["contract"]["digest"], report["system"]["digest"]) == (
        version.digest,
        registry.systems()["reviews"].digest,
    )
    for row in (world.demo, world.other):
        assert not Proposal.objects.filter(organization=row).exists()
    assert not Signature.objects.filter(person__in=list(world.people.values())).exists()


def test_a_report_never_changes(world: World) -> None:
    rehearse("echo")
    for row in (Rehearsal.objects.get(), Step.objects.first()):
        assert row is not None
        with pytest.raises(DatabaseError, match="never changes"):
            type(row).objects.filter(pk=row.pk).update(verdict="passed")


def test_some_steps_alone_never_pass(world: World) -> None:
    report = rehearse("echo")
    assert [step["key"] for step in report["steps"]] == ["accepted", "echo"]
    assert (report["verdict"], report["broke_off"]) == ("failed", "only some steps were played")


def test_a_search_that_is_switched_off_fails_and_is_named(world: World) -> None:
    world.sandbox.capabilities(lookup=False)
    found = gaps(rehearse("unknown", "lookup"))
    assert found["unknown"] == ("status", "outcome_unknown")
    assert found["lookup"][0] == "found"


def test_an_effect_that_shows_later_than_declared_fails_and_is_named(world: World) -> None:
    world.sandbox.capabilities(visibility_seconds=30)
    report = rehearse("visibility_delay")
    assert gaps(report) == {"visibility_delay": ("within", False)}
    gap = next(step["gap"] for step in report["steps"] if step["gap"])
    assert (gap["cause"], gap["owner"]) == ("interface", "operator")
    assert gap["corrected_by"] == "manage.py rehearse ouvrir_revue_dossier@2 --against reviews"


@pytest.fixture
def lying(world: World, tmp_path: Path) -> Iterator[World]:
    """The desk's configuration says that it honours a key; the sandbox does not."""
    before = settings.SYSTEMS_DIR
    for file in Path(before).glob("*.yaml"):
        text = file.read_text()
        if file.name == "reviews.yaml":
            text = text.replace("idempotency_key: {value: false", "idempotency_key: {value: true")
        (tmp_path / file.name).write_text(text)
    settings.SYSTEMS_DIR = os.environ["SYSTEMS_DIR"] = str(tmp_path)
    registry.reload()
    world.business_system_duplicates = True
    yield world
    settings.SYSTEMS_DIR = os.environ["SYSTEMS_DIR"] = before
    registry.reload()


def test_an_idempotency_key_that_is_declared_and_not_honoured_fails_and_is_named(lying: World) -> None:
    assert gaps(rehearse("idempotency_key")) == {"idempotency_key": ("effects", 2)}


def test_what_cannot_be_rehearsed_is_refused_and_nothing_is_written(world: World) -> None:
    for contract, against, why in (
        ("ouvrir_revue_dossier@2", "payments", "not to payments"),
        ("ouvrir_revue_dossier@2", "nowhere", "No business system"),
        ("ouvrir_revue_dossier@9", "reviews", "no published contract"),
    ):
        with pytest.raises(CommandError, match=why):
            call_command("rehearse", contract, against=against, organization="demo")
    assert not Rehearsal.objects.exists()


def test_a_read_is_asked_and_refused_without_a_role(world: World) -> None:
    report = rehearse(contract="ledger_ping@1", against="payments")
    assert {step["key"]: step["verdict"] for step in report["steps"]} == {
        "answered": "passed",
        "not_permitted": "passed",
    }
    assert report["verdict"] == "passed"
