"""A version is active without a waiver once it was rehearsed, practised and staffed; until then is said what lacks."""

import os
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from intents.drills import Drill
from journal.models import Entry
from proposals.models import ContractVersion
from proposals.nudging import quiet
from rehearsals import clearing, running
from rehearsals.models import Rehearsal
from systems.adapters import registry
from tests.intents.desk import conclude, lost_without_effect, take
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


def practised(world: World, tool: str) -> None:
    """Both drills stand recorded. What they name is taken to have happened: recording asks for it elsewhere."""
    intent = world.approved()
    for kind, proof in (("unknown", {"intent": intent}), ("stop", {"stopped_at": intent.opened_at})):
        when = {"done_at": intent.opened_at, "recorded_at": intent.opened_at}
        by = {"organization": world.demo, "recorded_by": world.people["support"]}
        drill = Drill.objects.create(tool=tool, kind=kind, words="Practised.", **by, **when, **proof)
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
    practised(world, "billing_refund")
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


def test_drills_are_recorded_on_the_page_with_what_happened_and_who_did_it(world: World) -> None:
    page = "/contracts/ouvrir_revue_dossier/2/"
    version = ContractVersion.objects.get(name="ouvrir_revue_dossier", version="2", organization=world.demo)
    operator = Person(world, "operator")
    form, said = operator.form(page, "drill-form"), {"people": "operator", "practised": "The switch was found at once."}
    refused = operator.send(f"{page}drills/", form=form, kind="stop", **said)
    assert refused.status_code == 422
    assert "The switch was found at once." in refused.content.decode(), "nothing typed is lost"
    world.stop("tool", "ouvrir_revue_dossier")
    world.resume("tool", "ouvrir_revue_dossier")
    assert operator.send(f"{page}drills/", form=form, kind="stop", **said).status_code == 303
    intent = lost_without_effect(world)
    take(world, intent)
    conclude(world, intent, "did_not_happen", then="close")
    support = Person(world, "support")
    form, named = support.form(page, "drill-form"), {"kind": "unknown", "intent": intent.public_id}
    wrong = support.send(f"{page}drills/", form=form, people="nobody", practised="Calm.", **named)
    assert wrong.status_code == 422
    done = support.send(f"{page}drills/", form=form, people="support, support2", practised="Calm.", **named)
    assert done.status_code == 303
    met = {need.key for need in clearing.needs(version) if need.met}
    assert {"unknown", "stop", "role"} <= met
    assert "Support, Support2" in support.text(page).replace("Support2, Support", "Support, Support2")
    assert Person(world, "requester").send(f"{page}drills/", form=form, kind="stop", **said).status_code in (403, 404)
