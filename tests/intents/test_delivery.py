"""What provably never left is tried again, within its budget; nothing else is."""

from collections.abc import Iterator

import pytest

from intents import answering, dispatching, marking
from intents.models import Attempt, Evidence, Intent, Recheck
from systems.adapters import registry
from tests.proxying import Proxy
from tests.world import World


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


def test_a_spent_delivery_budget_ends_it_as_not_sent(world: World, proxy: Proxy) -> None:
    world.publish(
        "ouvrir_revue_dossier-2", version="3", execution={"delivery_budget": {"attempts": 2, "within": "PT10M"}}
    )
    intent = world.approved()
    for _ in range(2):
        proxy.only(2 if intent.attempt else 1)  # the look at the target and, later, the search; then nobody listens
        world.hand_over(intent)
        proxy.listen_again()
    assert (intent.state, intent.cause) == ("void", "delivery_budget")
    assert (world.status(intent), Attempt.objects.count(), world.sandbox.submissions()) == ("not_sent", 2, [])


def test_a_target_that_cannot_be_reached_makes_it_wait_and_is_told_once(world: World, proxy: Proxy) -> None:
    intent = world.approved()
    proxy.close()
    for _ in range(3):
        world.hand_over(intent)
    assert (intent.state, intent.waiting, intent.looks) == ("ready", "target_unreachable", 2)
    assert (Attempt.objects.count(), Recheck.objects.count()) == (0, 1)
    assert "cannot be reached" in world.standing(intent).statement
    proxy.listen_again()
    assert world.hand_over(intent).state == "confirmed"


def test_every_attempt_carries_the_same_reference_and_the_same_bytes(world: World, proxy: Proxy) -> None:
    intent = world.approved()
    proxy.only(1)
    world.hand_over(intent)
    proxy.listen_again()
    world.hand_over(intent)
    first, second = Attempt.objects.order_by("number")
    assert first.digest == second.digest
    assert bytes(first.body) == bytes(second.body)
    assert str(intent.reference) in bytes(second.body).decode()


def test_a_pause_never_outlasts_the_approval(world: World, proxy: Proxy) -> None:
    world.publish("ouvrir_revue_dossier-2", version="3", policy={"approval_valid_for": "PT2S"})
    intent = world.approved()
    proxy.close()
    for _ in range(4):
        world.hand_over(intent)
    authorization = Intent.objects.select_related("authorization").get().authorization
    assert intent.next_look_at is not None
    assert intent.next_look_at <= authorization.expires_at


def test_a_worker_held_up_before_its_first_byte_tells_so_although_the_deadline_has_passed(world: World) -> None:
    intent = world.approved()
    look = dispatching.look_at(intent.pk)
    assert look is not None
    marked = marking.decide_and_mark(look, worker="held up")
    assert isinstance(marked, marking.Marked)
    Intent.objects.filter(pk=intent.pk).update(deadline="2020-01-01T00:00:00Z")
    world.sweep()
    reply = answering.never_sent("too_late")
    for _ in range(2):
        answering.write_outcome(marked, reply, answering.read(marked, reply))
    told = Evidence.objects.get()
    assert (told.source, told.verdict, told.fault, told.late) == ("answer", "nothing", "too_late", True)
    assert world.status(intent) == "outcome_unknown", "a person concludes"
