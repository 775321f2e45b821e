"""A business system that does not answer is left alone; one order tries; everything else flows on."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError

from intents import circuit, sweeping, withholding
from intents.dispatching import look_at
from intents.marking import decide_and_mark
from intents.models import Attempt, Circuit, Intent
from journal.clock import now
from journal.queries import entries_of_organization
from systems.adapters import registry
from tests.proxying import Proxy
from tests.world import World

ARCHIVAL = {"user_id": "U-2041", "confirm_user_id": "U-2041", "reason": "LEFT_COMPANY"}


@pytest.fixture(autouse=True)
def circuit_of_three(settings: Any) -> None:
    """Three silences open it; one order may try at once."""
    settings.CIRCUIT_SILENCES = 3
    settings.CIRCUIT_COOL_OFF = timedelta(0)
    withholding.forget()


@pytest.fixture
def proxy(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """The business system behind a proxy that a test can cut."""
    proxy = Proxy(world.sandbox.url)
    monkeypatch.setenv("SANDBOX_URL", proxy.url)
    registry.reload()
    yield proxy
    proxy.close()
    monkeypatch.undo()
    registry.reload()


def ready(world: World, *dossiers: str) -> list[Intent]:
    """Approved orders, each on a file of its own."""
    return [world.approved(dossier, arguments=_on(world, dossier)) for dossier in dossiers]


def _on(world: World, dossier: str) -> dict[str, object]:
    version = world.sandbox.call("GET", f"/dossiers/{dossier}")["version"]
    return {"dossier_ref": dossier, "expected_version": version, "reason_code": "ECART_MONTANT"}


def hand_over(world: World, intent: Intent) -> tuple[str, str]:
    """One look; state and what it waits on."""
    world.hand_over(intent)
    return intent.state, intent.waiting


def opened() -> Circuit | None:
    """The circuit of the reviews, while it is open."""
    return Circuit.objects.filter(system="reviews", opened_at__isnull=False).first()


def test_orders_that_come_while_a_system_is_silent_are_neither_observed_nor_sent(
    world: World, settings: Any, proxy: Proxy
) -> None:
    settings.CIRCUIT_COOL_OFF = timedelta(minutes=1)
    orders = ready(world, "D-42", "D-51", "D-44", "D-45")
    proxy.close()
    assert [hand_over(world, order) for order in orders[:3]] == [("ready", "target_unreachable")] * 3
    proxy.listen_again()
    before = len(world.sandbox.requests())
    assert hand_over(world, orders[3]) == ("ready", "circuit")
    assert len(world.sandbox.requests()) == before
    row = opened()
    assert row is not None
    assert (row.cause, orders[3].next_look_at) == ("target_unreachable", row.next_try_at)
    told = world.standing(orders[3])
    assert (told.status, told.waiting) == ("approved", {"for": "circuit", "on": "reviews"})
    assert "does not answer" in told.statement
    assert "ne répond pas" in world.standing(orders[3], language="fr").statement
    assert [entry.kind for entry in entries_of_organization(world.demo.pk, limit=50)].count("circuit.opened") == 1


def test_another_system_and_another_organization_flow_on(world: World, settings: Any) -> None:
    settings.CIRCUIT_COOL_OFF = timedelta(minutes=1)
    _open(world)
    proposal = world.propose(tool="archive_user_by_id", arguments=ARCHIVAL)
    world.sign(proposal)
    assert world.hand_over(world.open(proposal)).state == "confirmed"
    assert not Circuit.objects.exclude(organization=world.demo).exists()


def _open(world: World) -> list[Intent]:
    """The circuit is open after three attempts that nobody answered; returns two orders that wait."""
    lost = ready(world, "D-42", "D-51", "D-44")
    waiting = ready(world, "D-45", "D-46")
    world.sandbox.fault("drop_before_effect", times=3)
    assert [hand_over(world, order)[0] for order in lost] == ["unknown"] * 3
    assert opened() is not None
    return waiting


def test_exactly_one_order_tries_and_the_database_refuses_every_other(world: World) -> None:
    first, second = _open(world)
    assert circuit.try_one(first, now=now()) is True
    assert circuit.try_one(first, now=now()) is False, "nor twice"
    assert circuit.try_one(second, now=now()) is False
    look = look_at(second.pk)
    assert look is not None
    with pytest.raises(IntegrityError) as caught:
        decide_and_mark(look, worker="believes otherwise")
    assert withholding.refused_by_database(caught.value)
    assert hand_over(world, second) == ("ready", "circuit")
    assert Attempt.objects.count() == 3


def test_a_good_answer_to_the_one_that_tries_lets_all_go_on(world: World) -> None:
    first, second = _open(world)
    assert hand_over(world, first)[0] == "confirmed"
    assert opened() is None
    assert hand_over(world, second)[0] == "confirmed"
    assert len(world.sandbox.effects()) == 2
    assert Intent.objects.filter(state="unknown").count() == 3, "what may have been delivered is not sent again"


def test_silence_to_the_one_that_tries_makes_the_next_try_later(world: World, settings: Any) -> None:
    first, second = _open(world)
    settings.CIRCUIT_COOL_OFF = timedelta(seconds=40)
    world.sandbox.fault("drop_before_effect")
    assert hand_over(world, first)[0] == "unknown"
    row = opened()
    assert row is not None
    assert row.next_try_at is not None
    assert (row.tries, row.trial) == (1, None)
    assert row.next_try_at > now() + timedelta(seconds=70)
    assert hand_over(world, second) == ("ready", "circuit")


def test_an_answer_that_is_no_good_one_closes_nothing_and_another_order_may_try(world: World) -> None:
    first, second = _open(world)
    world.sandbox.fault("status", status=503, effect=False)
    assert hand_over(world, first)[0] == "unknown"
    row = opened()
    assert row is not None
    assert row.trial is None
    assert hand_over(world, second)[0] == "confirmed"


def test_an_answer_in_between_starts_the_count_anew(world: World) -> None:
    orders = ready(world, "D-42", "D-51", "D-44", "D-45")
    for number, order in enumerate(orders):
        if number != 2:
            world.sandbox.fault("drop_before_effect")
        world.hand_over(order)
    assert [order.state for order in orders] == ["unknown", "unknown", "confirmed", "unknown"]
    assert opened() is None


def test_one_object_that_cannot_be_read_opens_nothing_however_often_it_is_looked_at(
    world: World,
) -> None:
    (order,) = ready(world, "D-42")
    world.sandbox.fault("status", route="GET /dossiers", times=None, status=503)
    for _ in range(5):
        assert hand_over(world, order) == ("ready", "target_unreachable")
    assert opened() is None
    world.sandbox.clear_faults()


def test_a_cool_off_never_outlasts_the_approvals_that_wait(world: World, settings: Any) -> None:
    settings.CIRCUIT_COOL_OFF = timedelta(hours=1)
    world.publish("ouvrir_revue_dossier-2", version="3", policy={"approval_valid_for": "PT20S"})
    _open(world)
    row = opened()
    assert row is not None
    assert row.next_try_at is not None
    assert row.next_try_at < now() + timedelta(seconds=10)


def test_the_sweep_tells_workers_of_a_few_that_may_try_and_of_nothing_else_that_waits(
    world: World, settings: Any
) -> None:
    settings.CIRCUIT_COOL_OFF = timedelta(minutes=1)
    for order in _open(world):
        hand_over(world, order)
    Intent.objects.filter(waiting="circuit").update(next_look_at=now())
    waiting = list(Intent.objects.filter(waiting="circuit").order_by("pk").values_list("pk", flat=True))
    assert circuit.to_try(_row(), limit=9) == waiting
    assert sweeping.sweep()["nudged"] == 0
    Circuit.objects.update(next_try_at=now())
    assert sweeping.sweep()["nudged"] == 2


def _row() -> Circuit:
    row = opened()
    assert row is not None
    return row


def test_an_operator_closes_it_with_a_reason(world: World) -> None:
    first, _second = _open(world)
    with pytest.raises(ValueError, match="reason"):
        circuit.close(person=world.people["operator"], organization=world.demo.pk, system="reviews", reason=" ")
    circuit.close(person=world.people["operator"], organization=world.demo.pk, system="reviews", reason="It is back.")
    withholding.forget()
    told = entries_of_organization(world.demo.pk, limit=1)[0]
    assert (told.kind, told.actor, told.facts["reason"]) == ("circuit.closed", "operator", "It is back.")
    assert hand_over(world, first)[0] == "confirmed"
    with pytest.raises(circuit.NotOpen):
        circuit.close(person=world.people["operator"], organization=world.demo.pk, system="reviews", reason="Again.")
