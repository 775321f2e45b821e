"""The demo's contracts pass their rehearsals on objects put there for it, and say what only people can add."""

from io import StringIO

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from demo.management.commands.rehearse_demo import Command
from demo.rehearsing import cases_for
from proposals.models import ContractVersion
from rehearsals.models import Rehearsal
from tests.world import World

CHOSEN = ("annuler_revue_dossier", "chercher_dossier", "ledger_ping")  # the others take as long again


def test_contracts_of_the_demo_pass_and_their_waivers_say_what_is_true_then(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "DEMO", True)
    out = StringIO()
    call_command(Command(), *CHOSEN, stdout=out)
    assert sorted(Rehearsal.objects.filter(verdict="passed").values_list("contract__name", flat=True)) == list(CHOSEN)
    active = ContractVersion.objects.filter(organization=world.demo, state="active", name__in=CHOSEN)
    assert {row.name: row.waiver for row in active} == {
        "annuler_revue_dossier": "rehearsed; the drills of people are not recorded",
        "chercher_dossier": "",
        "ledger_ping": "",
    }
    assert "still missing: Nobody has recorded a drill in which admissions" in out.getvalue()


def test_the_objects_of_a_rehearsal_are_none_of_the_story(world: World) -> None:
    for name, target in (
        ("ouvrir_revue_dossier", "dossier_ref"),
        ("refund_create", "order_id"),
        ("archive_user_by_id", "user_id"),
    ):
        cases = cases_for(name)
        assert all("9" in str(case[target]).split("-", 1)[1][:2] for case in cases)
    assert world.sandbox.effects() == []


def test_nothing_is_rehearsed_where_there_is_no_demo(world: World) -> None:
    with pytest.raises(CommandError, match="not a demo"):
        call_command(Command())
    assert not Rehearsal.objects.exists()
