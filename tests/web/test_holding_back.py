"""What holds hand-overs back, on the operators' page: said plainly, and ended only by a POST with a reason."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from intents import withholding
from intents.models import Circuit, Pause
from journal.clock import now
from journal.queries import entries_of_organization
from tests.web.people import Person
from tests.world import World


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    """What this process read before is read again."""
    withholding.forget()


def test_a_silent_system_is_shown_with_since_when_why_and_next_try_and_an_operator_lets_all_go_on(world: World) -> None:
    at = now()
    Circuit.objects.create(
        organization=world.demo,
        system="reviews",
        opened_at=at,
        cause="connect_refused",
        next_try_at=at + timedelta(minutes=1),
    )
    operator, foreign = Person(world, "operator"), Person(world, "stranger")
    page = operator.text("/operations/")
    assert "“reviews” does not answer" in page
    assert "The connection was refused" in page
    form = operator.form("/operations/", "close-demo-reviews")
    theirs = {**form, **foreign.form("/operations/", "stop-2"), "organization": "demo"}
    assert foreign.send("/operations/circuits/", form=theirs, reason="Not mine.").status_code == 404
    assert Circuit.objects.filter(opened_at__isnull=False).exists()
    assert operator.send("/operations/circuits/", form=form, reason=" ").status_code == 422
    assert operator.client.get("/operations/circuits/").status_code == 405
    assert operator.send("/operations/circuits/", form=form, reason="It is back.").status_code == 303
    assert "does not answer" not in operator.text("/operations/")
    told = entries_of_organization(world.demo.pk, limit=1)[0]
    assert (told.kind, told.facts["reason"]) == ("circuit.closed", "It is back.")
    assert operator.send("/operations/circuits/", form=form, reason="Again.").status_code == 303


def test_a_pause_is_compared_then_resumed_and_readiness_tells_of_it_without_turning_people_away(
    world: World, tmp_path: Path, settings: Any
) -> None:
    settings.EPOCH_FILE = str(tmp_path / "epoch.json")
    intent = world.approved()
    world.sweep()
    kept = json.loads((tmp_path / "epoch.json").read_text())
    (tmp_path / "epoch.json").write_text(json.dumps({**kept, "entry": kept["entry"] + 7}))
    withholding.forget()
    assert world.hand_over(intent).waiting == "paused"
    part = Client(HTTP_HOST="localhost").get("/healthz/ready").json()["parts"]["pause"]
    assert (part["ready"], part["says"]) == (True, "hand-over is paused in 2 organizations: see /operations/")
    operator = Person(world, "operator")
    page = operator.text("/operations/")
    assert "Hand-over of Demo is paused" in page
    assert 'id="resume-demo"' not in page, "nothing is resumed before it was compared"
    compare = operator.form("/operations/", "compare-demo")
    early = {**compare, "subject": "pause", "reason": "Trust me."}
    assert operator.send("/operations/resumptions/", form=early).status_code == 303
    assert Pause.objects.filter(lifted_at__isnull=True).count() == 2
    assert operator.send("/operations/comparisons/", form=compare).status_code == 303
    resume = operator.form("/operations/", "resume-demo")
    assert operator.send("/operations/resumptions/", form=resume, reason="").status_code == 422
    assert operator.send("/operations/resumptions/", form=resume, reason="Compared.").status_code == 303
    withholding.forget()
    assert "Hand-over of Demo is paused" not in operator.text("/operations/")
    assert world.hand_over(intent).state == "confirmed"
