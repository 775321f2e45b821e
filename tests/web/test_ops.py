"""Whether it is alive, whether it is ready, and what the pages around a mistake say."""

import pytest
from django.db.models import F
from django.test import Client

from intents import sweeping
from proposals.models import Proposal
from tests.web.people import Person
from tests.world import World


def test_ready_means_that_a_sweep_completed_a_moment_ago(database: None) -> None:
    client = Client(HTTP_HOST="localhost")
    before = client.get("/healthz/ready")
    assert before.status_code == 503
    assert before.json()["parts"]["sweep"] == {"ready": False, "says": "no sweep has completed yet"} | {
        "took_ms": before.json()["parts"]["sweep"]["took_ms"]
    }
    sweeping.sweep()
    after = client.get("/healthz/ready")
    assert (after.status_code, after.json()["ready"]) == (200, True)


def test_alive_asks_nothing_of_anybody(database: None) -> None:
    assert Client(HTTP_HOST="localhost").get("/healthz/live").json() == {"live": True}


def test_only_an_operator_stops_admissions_and_says_why(world: World) -> None:
    operator, approver = Person(world, "operator"), Person(world, "approver")
    assert approver.open("/operations/").status_code == 404
    form = {"organization": "demo", "subject": "tool", "name": "refund_create"}
    token = operator.form("/operations/", "stop-1")
    assert operator.send("/operations/admissions/", form=token | form, move="stop").status_code == 422
    stopped = operator.send("/operations/admissions/", form=token | form, move="stop", reason="Audit of <refunds>")
    assert stopped.status_code == 303
    assert "Audit of &lt;refunds&gt;" in operator.text("/operations/")
    assert operator.send("/operations/admissions/", form=token | form, move="resume").status_code == 303
    assert "Audit of" not in operator.text("/operations/")


def test_the_journal_is_read_by_the_auditor_of_its_organization_alone(world: World) -> None:
    world.propose("D-42")
    auditor = Person(world, "auditor")
    assert "Proposal submitted" in auditor.text("/journal/")
    answer = auditor.send("/journal/verifications/", form=auditor.form("/journal/", "verify-form"))
    assert "The journal verifies" in answer.content.decode()
    assert Person(world, "approver").open("/journal/").status_code == 404
    assert "P-1" not in Person(world, "stranger").text("/journal/?organization=other")


def test_the_journals_verification_finds_a_cut_tail_and_tells_nothing_of_another_organization(world: World) -> None:
    world.propose("D-42")
    auditor, stranger = Person(world, "auditor"), Person(world, "stranger")
    Proposal.objects.update(chain_length=F("chain_length") + 1)  # as if its last entry had been cut off
    form = auditor.form("/journal/", "verify-form")
    assert "does not verify" in auditor.send("/journal/verifications/", form=form).content.decode()
    form = stranger.form("/journal/", "verify-form")
    assert "The journal verifies" in stranger.send("/journal/verifications/", form=form).content.decode()
    Proposal.objects.update(chain_length=F("chain_length") - 1)


@pytest.mark.parametrize(
    "address",
    [
        "/journal/?organization=%00",
        "/contracts/%00/2/",
        "/contracts/ouvrir_revue_dossier/%00/",
        "/contracts/ouvrir_revue_dossier/2/?organization=a%00b",
        "/proposals/P-%00/",
        "/proposals/P-" + "9" * 4500 + "/",
        "/receipts/A-99999999999999999999/",
        "/reconciliation/I-99999999999999999999/",
    ],
)
def test_an_address_that_names_nothing_a_database_can_hold_is_not_found(world: World, address: str) -> None:
    assert Person(world, "auditor").open(address).status_code == 404
