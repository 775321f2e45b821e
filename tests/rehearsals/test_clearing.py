"""A version is active without a waiver once it was rehearsed, practised and staffed; until then is said what lacks."""

import os
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from intents.drills import Drill
from intents.models import Intent
from journal.models import Entry
from proposals.models import ContractVersion
from proposals.nudging import quiet
from rehearsals import clearing, running
from rehearsals.models import Rehearsal
from systems.adapters import registry
from tests.processes import ROOT
from tests.web.people import Person
from tests.world import World

MISSING = ("No rehearsal", "unknown outcome was taken", "admissions were stopped", "Nobody has declared how many")


@pytest.fixture
def billing(world: World, tmp_path: Path) -> Iterator[ContractVersion]:
    """A published contract for refunds under names nobody has used before, and its system: two files."""
    before, folder = settings.SYSTEMS_DIR, tmp_path / "more"
    folder.mkdir()
    configuration = (Path(before) / "payments.yaml").read_text().replace("name: payments", "name: billing", 1)
    (folder / "billing.yaml").write_text(configuration)
    contract = (ROOT / "sandbox" / "contracts" / "refund_create-2.yaml").read_text()
    contract = contract.replace("name: refund_create", "name: billing_refund", 1)
    (tmp_path / "billing.yaml").write_text(contract.replace("system: payments", "system: billing", 1))
    settings.SYSTEMS_DIR = os.pathsep.join([before, str(folder)])
    registry.reload()
    call_command("publish_contract", str(tmp_path / "billing.yaml"), by="owner", stdout=StringIO())
    yield ContractVersion.objects.get(name="billing_refund", organization=world.demo)
    settings.SYSTEMS_DIR = before
    registry.reload()


def practised(world: World, tool: str, unknown: Intent) -> None:
    """Both drills stand recorded. What they name is taken to have happened: recording checks it elsewhere."""
    for kind, proof in (("unknown", {"intent": unknown}), ("stop", {"stopped_at": unknown.opened_at})):
        drill = Drill.objects.create(
            organization=world.demo,
            tool=tool,
            kind=kind,
            done_at=unknown.opened_at,
            words="Practised.",
            recorded_by=world.people["support"],
            recorded_at=unknown.opened_at,
            **proof,
        )
        drill.people.set([world.people["support"]])


def test_a_system_of_two_files_goes_from_rehearsal_to_activation_to_a_confirmed_operation(
    world: World, billing: ContractVersion
) -> None:
    with pytest.raises(CommandError) as refused:
        call_command("activate_contract", "billing_refund@2", by="owner2")
    for sentence in MISSING:
        assert sentence in str(refused.value)
    billing.refresh_from_db()
    assert billing.state == "draft"
    call_command("rehearse", "billing_refund@2", against="billing", stdout=StringIO())
    billing.refresh_from_db()
    assert billing.state == "rehearsed"
    call_command("declare_capacity", "support", "40", by="owner", stdout=StringIO())
    assert len(clearing.missing(billing)) == 2
    practised(world, "billing_refund", world.approved())
    assert clearing.missing(billing) == []
    out = StringIO()
    call_command("activate_contract", "billing_refund@2", by="owner2", stdout=out)
    assert out.getvalue().endswith("billing_refund@2 is active.\n")
    given = {"order_id": "ORD-000123", "amount_minor": 1250, "currency": "EUR"}
    proposal = world.propose(tool="billing_refund", arguments=given)
    for person in ("approver", "approver2"):
        world.sign(proposal, by=person)
    assert world.status(world.hand_over(world.open(proposal))) == "confirmed"


def test_a_change_in_the_systems_file_asks_for_another_rehearsal(world: World) -> None:
    version = ContractVersion.objects.get(name="ledger_ping", organization=world.demo)
    running.run(running.ask(version=version, against="payments"))
    assert clearing.missing(version) == []
    before = settings.SYSTEMS_DIR
    file = Path(before) / "payments.yaml"
    text = file.read_text()
    try:
        file.write_text(text.replace("resolve: PT3S", "resolve: PT4S"))
        registry.reload()
        assert "has changed since" in clearing.missing(version)[0]
    finally:
        file.write_text(text)
        registry.reload()


def test_a_waiver_is_lifted_by_another_owner_once_nothing_is_missing_and_the_journal_tells(world: World) -> None:
    version = ContractVersion.objects.get(name="ledger_ping", organization=world.demo)
    owner, page = Person(world, "owner2"), "/contracts/ledger_ping/1/"
    assert "Active without a rehearsal" in owner.text(page)
    with quiet():  # no worker listens here: the test runs it
        answer = owner.send(f"{page}rehearsals/", form=owner.form(page, "rehearse-form"))
        row = Rehearsal.objects.get()
        assert (answer.status_code, answer["Location"]) == (303, f"/rehearsals/{row.public_id}/")
        again = owner.send(f"{page}rehearsals/", form=owner.form(page, "rehearse-form"))
        assert again["Location"] == answer["Location"], "one at a time"
    assert "0 of 2 steps played" in owner.text(f"/rehearsals/{row.public_id}/")
    running.run(row)
    assert "It has passed" in owner.text(f"/rehearsals/{row.public_id}/")
    report = owner.open(f"/rehearsals/{row.public_id}/report.json").json()
    assert (report["verdict"], report["contract"]["digest"]) == ("passed", version.digest)
    assert Person(world, "stranger").open(f"/rehearsals/{row.public_id}/").status_code == 404
    assert Person(world, "stranger").open(f"/rehearsals/{row.public_id}/report.json").status_code == 404
    assert owner.send(f"{page}activation/", form=owner.form(page, "activate-form")).status_code == 303
    version.refresh_from_db()
    assert version.waiver == ""
    assert "Active without a rehearsal" not in owner.text(page)
    assert Entry.objects.filter(kind="waiver.lifted").exists()


def test_the_page_says_what_is_missing_and_refuses_beside_the_form(world: World, billing: ContractVersion) -> None:
    owner, page = Person(world, "owner2"), "/contracts/billing_refund/2/"
    html = owner.text(page)
    for sentence in MISSING:
        assert sentence in html
    form = owner.form(page, "activate-form")
    refused = owner.send(f"{page}activation/", form=form, waiver="")
    assert refused.status_code == 422
    assert "Something is missing" in refused.content.decode()
    wrong = owner.send(f"{page}capacity/", form=owner.form(page, "capacity-form"), per_day="many")
    assert wrong.status_code == 422
    assert 'value="many"' in wrong.content.decode()
    for person in ("auditor", "stranger"):
        other = Person(world, person)
        other.open("/contracts/")
        token = (
            {"csrfmiddlewaretoken": other.client.cookies["csrftoken"].value}
            if other.client.cookies.get("csrftoken")
            else {}
        )
        answer = other.send(f"{page}activation/", form=token, organization="demo", waiver="please")
        assert answer.status_code in (403, 404)
    billing.refresh_from_db()
    assert billing.state == "draft"
    assert owner.send(f"{page}activation/", form=form, waiver="Tried by hand.").status_code == 303
    billing.refresh_from_db()
    assert (billing.state, billing.waiver) == ("active", "Tried by hand.")
