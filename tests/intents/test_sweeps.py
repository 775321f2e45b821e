"""What no nudge reached is found, and what time has decided is written down, in bounded time."""

import os
import resource
import time

import pytest
import redis
from django.conf import settings

from approvals.models import Authorization
from benchmarks.orders import multiply
from intents import sweeping, waking
from intents.dispatching import look_at
from intents.marking import decide_and_mark
from intents.models import Intent, Progress
from intents.states import State
from journal.clock import now
from journal.queries import entries_of
from proposals.models import Proposal
from tests.conftest import flush_broker
from tests.sandboxing import Sandbox
from tests.world import World, world_as_new

MANY = int(os.environ.get("COUNTERSIGN_LAPSED_INTENTS", "300"))


def test_an_authorization_without_intent_is_opened_once(world: World) -> None:
    proposal = world.propose()
    world.sign(proposal)
    assert not Intent.objects.exists()
    world.sweep(3)
    intent = Intent.objects.get()
    assert (intent.state, intent.authorization) == ("ready", Authorization.objects.get())


def test_a_proposal_nobody_decided_in_time_expires_by_the_sweep_and_before_it_by_the_read(world: World) -> None:
    proposal = world.propose()
    Proposal.objects.update(review_expires_at="2020-01-01T00:00:00Z")
    assert world.status(proposal) == "expired"
    assert Proposal.objects.get().state == "awaiting_approval"
    world.sweep()
    assert Proposal.objects.get().state == "expired"
    assert world.propose(key=None).pk != proposal.pk


def test_an_approval_that_lapsed_before_the_hand_over_ends_it_as_expired(world: World) -> None:
    intent = world.approved()
    Authorization.objects.update(expires_at="2020-01-01T00:00:00Z")
    assert world.status(intent) == "expired", "a read says so before any sweep"
    world.hand_over(intent)
    assert (intent.state, intent.cause, world.sandbox.submissions()) == ("void", "expired", [])


def test_a_sending_whose_deadline_has_passed_is_unknown(world: World) -> None:
    intent = world.approved()
    _as_if_being_sent(intent)
    assert world.status(intent) == "outcome_unknown", "a read says so before any sweep"
    world.sweep()
    intent.refresh_from_db()
    assert (intent.state, intent.cause) == ("unknown", "deadline")
    assert world.sandbox.submissions() == []


def _as_if_being_sent(intent: Intent) -> None:
    """What a worker leaves behind that died between the mark and the first byte, a while ago."""
    look = look_at(intent.pk)
    assert look is not None
    decide_and_mark(look, worker="dead")
    Intent.objects.filter(pk=intent.pk).update(deadline="2020-01-01T00:00:00Z")


def test_a_retired_version_ends_what_waited_on_it(world: World) -> None:
    intent = world.approved()
    world.publish("ouvrir_revue_dossier-2", version="3")
    world.sweep()
    assert (world.status(intent), world.sandbox.submissions()) == ("not_sent", [])


def test_one_row_that_fails_does_not_hold_up_the_others(world: World) -> None:
    first, second = world.approved(), world.approved("D-51", arguments=_on(world, "D-51"))
    Authorization.objects.update(expires_at="2020-01-01T00:00:00Z")
    Proposal.objects.filter(pk=first.revision.proposal_id).update(chain_length=1)  # its chain cannot be continued
    world.sweep()
    states = dict(Intent.objects.values_list("pk", "state"))
    assert states == {first.pk: "ready", second.pk: "void"}
    Proposal.objects.filter(pk=first.revision.proposal_id).update(chain_length=_length(first))
    world.sweep()
    assert Intent.objects.get(pk=first.pk).state == "void"


def _on(world: World, dossier: str) -> dict[str, object]:
    version = world.sandbox.call("GET", f"/dossiers/{dossier}")["version"]
    return {"dossier_ref": dossier, "expected_version": version, "reason_code": "ECART_MONTANT"}


def _length(intent: Intent) -> int:
    return len(entries_of(intent.revision.proposal.public_id))


def test_a_sweep_leaves_a_sign_of_progress(world: World) -> None:
    world.sweep()
    assert Progress.objects.get(duty="sweep").at <= now()


def test_many_lapsed_approvals_drain_in_bounded_sweeps_without_a_single_effect(
    database: None, sandbox: Sandbox
) -> None:
    world = world_as_new(sandbox)  # copies of rows have no journal of their own, so its invariants are not asked
    multiply(world.approved(), MANY - 1, first=20_000, look_in=0.0)
    Authorization.objects.update(expires_at="2020-01-01T00:00:00Z")
    sweeps, began, before = 0, time.monotonic(), _peak()
    while Intent.objects.filter(state=State.READY).exists():
        started = time.monotonic()
        sweeping.sweep()
        assert time.monotonic() - started < sweeping.SECONDS + 2
        sweeps += 1
        assert sweeps <= 1 + MANY // 50
    took, grown = time.monotonic() - began, _peak() - before
    print(f"{MANY} lapsed intents: {sweeps} sweeps, {took:.1f} s, {grown} MiB more at the peak")
    assert grown < 64, "a sweep holds a batch, not everything"
    assert Intent.objects.filter(state=State.VOID, cause="expired").count() == MANY
    assert world.sandbox.submissions() == []


def _peak() -> int:
    """The most memory this process ever held, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def test_while_no_worker_takes_anything_the_broker_does_not_grow_and_a_flushed_one_is_filled_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waking, "QUEUED_AT_MOST", 3)
    for number in range(5):
        world.approved(session=f"s{number}")
    flush_broker()
    for _ in range(4):
        Intent.objects.update(next_look_at=now())
        world.sweep()
    assert _queued() == 3
    flush_broker()
    Intent.objects.update(next_look_at=now())
    assert sweeping.sweep()["nudged"] == 3
    flush_broker()
    assert sweeping.sweep()["nudged"] == 2, "who was not told yet has their turn first"
    assert _queued() == 2


def _queued() -> int:
    client = redis.Redis.from_url(settings.REDIS_URL)
    with client:
        return int(client.llen("handover"))
