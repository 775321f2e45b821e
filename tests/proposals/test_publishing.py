"""Publishing and activating: two people, immutable content, everything in the journal."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction

from journal.models import Entry
from proposals import publishing
from proposals.contracts import contract_of
from proposals.models import ContractVersion, Revision
from systems.yamlfiles import FileError
from tenancy.models import Admission
from tests.proposals.files import contract_text
from tests.world import World

PING = contract_text("ledger_ping-1", **{'version: "1"': 'version: "9"'})


def publish(world: World, text: str, by: str = "owner") -> ContractVersion:
    return publishing.publish(text=text, file_name="ping.yaml", by=world.people[by], organization=world.demo)


def activate(world: World, version: str, by: str = "owner2", name: str = "ledger_ping") -> ContractVersion:
    return publishing.activate(organization=world.demo, name=name, version=version, by=world.people[by])


def told(kind: str) -> int:
    return Entry.objects.filter(kind=kind).count()


def test_publishing_the_same_content_again_changes_nothing(world: World) -> None:
    before = told("contract.published")
    first = publish(world, PING)
    again = publish(world, "# a comment is not content\n" + PING)
    assert (again.pk, again.state) == (first.pk, "draft")
    assert told("contract.published") == before + 1
    assert contract_of(first).digest == first.digest


def test_another_content_under_a_published_version_is_refused(world: World) -> None:
    publish(world, PING)
    with pytest.raises(publishing.VersionTaken):
        publish(world, PING.replace("PT1M", "PT2M"))


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("system: payments", "system: nowhere", "execution.system"),
        ("operation: ledger_ping", "operation: nothing", "execution.operation"),
        ("max_bytes: 200", "max_bytes: -1", "output.max_bytes"),
        ("effect: none", "effect: none\neffect: none", "effect"),
    ],
)
def test_a_file_with_an_error_is_told_with_its_line_and_nothing_is_published(
    world: World, old: str, new: str, field: str
) -> None:
    versions, entries = ContractVersion.objects.count(), Entry.objects.count()
    with pytest.raises(FileError) as refused:
        publish(world, PING.replace(old, new))
    assert refused.value.field == field
    assert refused.value.line > 1
    assert (ContractVersion.objects.count(), Entry.objects.count()) == (versions, entries)


def test_a_contract_that_writes_needs_an_operation_that_writes(world: World) -> None:
    text = contract_text("ouvrir_revue_dossier-2", **{"operation: open_review": "operation: find_dossier"})
    with pytest.raises(FileError, match="no submit"):
        publish(world, text)


@pytest.mark.parametrize("who", ["requester", "approver", "operator", "stranger"])
def test_only_an_owner_of_the_organization_publishes_and_activates(world: World, who: str) -> None:
    with pytest.raises(publishing.NotAnOwner):
        publish(world, PING, by=who)
    publish(world, PING)
    with pytest.raises(publishing.NotAnOwner):
        activate(world, "9", by=who)


def test_who_publishes_does_not_activate(world: World) -> None:
    publish(world, PING)
    with pytest.raises(publishing.CannotActivate, match="somebody else"):
        activate(world, "9", by="owner")


def test_activating_retires_the_version_before_and_shows_the_waiver(world: World) -> None:
    publish(world, PING)
    active = activate(world, "9")
    states = dict(
        ContractVersion.objects.filter(organization=world.demo, name="ledger_ping").values_list("version", "state")
    )
    assert states == {"1": "retired", "9": "active"}
    assert active.waiver == "not rehearsed"
    assert activate(world, "9").pk == active.pk
    with pytest.raises(publishing.CannotActivate, match="retired"):
        activate(world, "1")


def test_another_organization_keeps_its_own_versions(world: World) -> None:
    theirs = ContractVersion.objects.get(organization=world.other, name="ouvrir_revue_dossier")
    publish(world, contract_text("ouvrir_revue_dossier-2", **{'version: "2"': 'version: "3"'}))
    activate(world, "3", name="ouvrir_revue_dossier")
    theirs.refresh_from_db()
    assert theirs.state == "active"
    with pytest.raises(publishing.UnknownVersion):
        publishing.activate(organization=world.other, name="ledger_ping", version="9", by=world.people["stranger"])


def test_a_tool_and_its_system_have_switches_from_the_start(world: World) -> None:
    publish(world, PING.replace("name: ledger_ping", "name: ledger_pong"))
    rows = Admission.objects.filter(organization=world.demo).values_list("subject", "name")
    assert {("tool", "ledger_pong"), ("system", "payments"), ("organization", "")} <= set(rows)


def test_what_ends_with_a_version_is_told_before(world: World) -> None:
    waiting = world.propose(
        "D-44", arguments={"dossier_ref": "D-44", "expected_version": 3, "reason_code": "PIECE_MANQUANTE"}
    )
    ready = world.approved()
    version = ContractVersion.objects.get(organization=world.demo, name="ouvrir_revue_dossier", state="active")
    lost = publishing.casualties(version)
    assert lost.open_proposals == (waiting.public_id,)
    assert lost.live_authorizations == (ready.revision.proposal.public_id,)


def delete_as_a_replica_would(table: str, pk: int) -> None:
    """Ordinary triggers are skipped in this role."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(f"DELETE FROM {table} WHERE id = %s", [pk])


def test_the_database_refuses_to_change_what_was_published(world: World) -> None:
    version = publish(world, PING)
    proposal = world.propose()
    revision = Revision.objects.get(proposal=proposal)
    for rows, change in (
        (ContractVersion.objects.filter(pk=version.pk), {"canonical": b"{}"}),
        (ContractVersion.objects.filter(pk=version.pk), {"source": "x"}),
        (ContractVersion.objects.filter(pk=version.pk), {"version": "10"}),
        (Revision.objects.filter(pk=revision.pk), {"suggestion": "x"}),
        (Revision.objects.filter(pk=revision.pk), {"content": b"{}"}),
    ):
        with pytest.raises(IntegrityError, match="never changes"):
            rows.update(**change)
    for table, pk in (("proposals_contractversion", version.pk), ("proposals_revision", revision.pk)):
        with pytest.raises(IntegrityError, match="never changes"):
            delete_as_a_replica_would(table, pk)


def test_the_commands_say_what_they_did_and_what_ends(world: World, tmp_path: Path) -> None:
    file = tmp_path / "ping.yaml"
    file.write_text(PING)
    waiting = world.propose()
    review = tmp_path / "review.yaml"
    review.write_text(contract_text("ouvrir_revue_dossier-2", **{'version: "2"': 'version: "3"'}))
    out = StringIO()
    call_command("publish_contract", str(file), by="owner", stdout=out)
    call_command("activate_contract", "ledger_ping@9", by="owner2", waiver="not rehearsed", stdout=out)
    call_command("publish_contract", str(review), by="owner", stdout=out)
    call_command("activate_contract", "ouvrir_revue_dossier@3", by="owner2", waiver="a test", stdout=out)
    assert "ledger_ping@9 is active, under the waiver “not rehearsed”." in out.getvalue()
    assert f"awaiting a decision: {waiting.public_id}" in out.getvalue()


def test_the_commands_refuse_in_words(world: World, tmp_path: Path) -> None:
    file = tmp_path / "ping.yaml"
    file.write_text(PING.replace("effect: none", "effect: maybe"))
    with pytest.raises(CommandError, match=r"Nothing was published.\nping.yaml:\d+: effect: must be one of"):
        call_command("publish_contract", str(file), by="owner")
    with pytest.raises(CommandError, match="There is no person called nobody"):
        call_command("publish_contract", str(file), by="nobody")
    with pytest.raises(CommandError, match="Nothing was changed"):
        call_command("activate_contract", "ledger_ping@77", by="owner2")
    with pytest.raises(CommandError, match="No such file"):
        call_command("publish_contract", str(tmp_path / "absent.yaml"), by="owner")
