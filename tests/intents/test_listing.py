"""After a restore, effects that no order of the database knows are found in the business systems' own lists."""

import uuid
from datetime import datetime, timedelta
from typing import Any

import pytest

from intents import comparing, pausing
from intents.listing import unheard_of
from intents.models import Pause
from journal.clock import now
from tests.sandboxing import Sandbox
from tests.world import World, world_as_new

STRANGER = str(uuid.uuid4())


@pytest.fixture
def house(database: None, sandbox: Sandbox) -> World:
    """A world whose business system was also asked by orders that the database has lost, so §2.7 cannot hold."""
    world = world_as_new(sandbox)
    body = {"dossier_ref": "D-51", "reason_code": "OTHER", "queue": "q"}
    for reference in (STRANGER, "somebody-elses-own", STRANGER.upper()):
        sandbox.call("POST", "/review-requests", {**body, "client_ref": reference})
    return world


def span(seconds: float = 60.0) -> dict[str, datetime]:
    moment = now()
    return {"since": moment - timedelta(seconds=seconds), "until": moment + timedelta(seconds=seconds)}


def test_only_what_carries_a_reference_of_our_kind_and_no_order_here_knows_is_told(house: World) -> None:
    assert house.status(house.done()) == "confirmed"
    told = unheard_of(organization=house.demo.pk, seconds=10, **span())
    assert told == {"unheard": 1, "references": [{"system": "reviews", "reference": STRANGER}], "not_listed": 0}
    assert {request["method"] for request in house.sandbox.requests()[-4:]} == {"GET"}


def test_a_list_that_breaks_off_or_finds_no_time_is_counted(house: World) -> None:
    house.sandbox.fault("status", route="GET /refunds", times=None)
    assert unheard_of(organization=house.demo.pk, seconds=10, **span())["not_listed"] == 1
    late: dict[str, Any] = unheard_of(organization=house.demo.pk, seconds=0, **span())
    assert (late["unheard"], late["not_listed"]) == (0, 4)


def test_a_comparison_after_a_restore_ends_with_the_lists(house: World) -> None:
    pause = Pause.objects.create(
        organization=house.demo, key=uuid.uuid4(), cause="database_older_than_epoch", began_at=now(), facts={}
    )
    findings = comparing.compare_with_targets(person=house.people["operator"], pause=pause)
    assert (findings["left"], findings["unheard"], findings["not_listed"]) == (0, 1, 0)
    pause.refresh_from_db()
    assert pause.findings["references"] == [{"system": "reviews", "reference": STRANGER}]
    pausing.lift(person=house.people["operator"], organization=house.demo.pk, reason="Looked there.")
