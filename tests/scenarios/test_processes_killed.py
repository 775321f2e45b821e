"""Workers killed before and after the mark, a broker flushed and frozen: real processes, real signals."""

import os
import signal
import time
from collections.abc import Callable

from demo.embedded import EmbeddedServers
from intents.models import Attempt, Intent
from tests.conftest import flush_broker
from tests.processes import Process, until
from tests.world import World

FLUSHED = int(os.environ.get("COUNTERSIGN_FLUSHED_INTENTS", "50"))


def test_a_worker_killed_before_the_mark_leaves_it_ready_and_it_is_sent_later_once(
    world: World, start_worker: Callable[..., Process], start_beat: Callable[[], Process]
) -> None:
    intent = world.approved()
    victim = start_worker(failpoint="before_mark_commit:kill")
    world.sweep()
    until(lambda: "SIGKILL" in victim.output or "WorkerLost" in victim.output, what=victim.output)
    victim.kill()
    intent.refresh_from_db()
    assert (intent.state, Attempt.objects.count(), world.sandbox.submissions()) == ("ready", 0, [])
    start_worker()
    start_beat()
    until(lambda: world.status(intent) == "confirmed")
    assert len(world.sandbox.submissions()) == len(world.sandbox.effects()) == 1


def test_a_worker_killed_after_the_mark_leaves_an_unknown_and_nothing_is_resent(
    world: World, start_worker: Callable[..., Process], start_beat: Callable[[], Process]
) -> None:
    intent = world.approved()
    victim = start_worker(failpoint="marked:kill")
    world.sweep()
    until(lambda: Attempt.objects.exists())
    until(lambda: "SIGKILL" in victim.output or "WorkerLost" in victim.output, what=victim.output)
    victim.kill()
    start_worker()
    start_beat()
    until(lambda: world.status(intent) == "outcome_unknown")
    time.sleep(3)
    assert world.status(intent) == "outcome_unknown"
    assert (Attempt.objects.count(), world.sandbox.submissions()) == (1, [])


def test_a_worker_killed_after_the_answer_leaves_an_unknown_that_a_probe_confirms(
    world: World, start_worker: Callable[..., Process], start_beat: Callable[[], Process]
) -> None:
    intent = world.approved()
    victim = start_worker(failpoint="handed_over:kill")
    world.sweep()
    until(lambda: world.sandbox.submissions())
    until(lambda: "SIGKILL" in victim.output or "WorkerLost" in victim.output, what=victim.output)
    victim.kill()
    start_worker()
    start_beat()
    until(lambda: world.status(intent) == "confirmed")
    assert len(world.sandbox.submissions()) == len(world.sandbox.effects()) == 1


def test_a_broker_flushed_with_fifty_intents_queued_hands_each_over_once_by_the_sweep(
    world: World, start_worker: Callable[..., Process], start_beat: Callable[[], Process]
) -> None:
    for number in range(FLUSHED):
        world.sandbox.put("dossiers", f"D-{5000 + number}", version=1, state="active", establishment="A")
        world.sign(
            world.propose(
                arguments={
                    "dossier_ref": f"D-{5000 + number}",
                    "expected_version": 1,
                    "reason_code": "ECART_MONTANT",
                },
                session=f"s{number % 7}",
            )
        )
    world.sweep()
    flush_broker()
    assert world.sandbox.submissions() == []
    start_worker(concurrency=2)
    start_beat()
    start_beat()  # two of them by mistake: sweeps run twice as often, and nothing is sent twice
    until(
        lambda: Intent.objects.filter(state="confirmed").count() == FLUSHED,
        seconds=60,
        what="every intent confirmed",
    )
    assert len(world.sandbox.submissions()) == len(world.sandbox.effects()) == FLUSHED


def test_the_same_message_delivered_five_times_to_two_workers_sends_once(
    world: World, start_worker: Callable[..., Process]
) -> None:
    from config.celery import app

    start_worker(concurrency=2)
    start_worker(concurrency=2)
    intent = world.approved()
    world.sandbox.fault("delay", seconds=0.5)
    for _ in range(5):
        app.send_task("intents.tasks.hand_over", [intent.pk])
    until(lambda: world.status(intent) == "confirmed")
    time.sleep(1)
    assert len(world.sandbox.submissions()) == 1


def test_a_frozen_broker_still_lets_a_person_sign_within_a_second_and_a_half(
    world: World,
    start_web: Callable[..., str],
    start_worker: Callable[..., Process],
    start_beat: Callable[[], Process],
    private_servers: Callable[..., EmbeddedServers],
    child_env: dict[str, str],
) -> None:
    from tests.scenarios.conftest import Line

    servers = private_servers(durable=False)
    line = Line(world, start_web(env={"REDIS_URL": servers.redis_url}))
    proposal = line.agent().propose().json()["id"]
    person = line.person("approver")
    fields = person.form(f"/proposals/{proposal}/check/", "approve-form")
    assert servers.valkey is not None
    frozen = servers.valkey.process.pid
    os.kill(frozen, signal.SIGSTOP)
    try:
        began = time.monotonic()
        answer = person.post(f"/proposals/{proposal}/approvals/", fields, follow_redirects=False)
        took = time.monotonic() - began
    finally:
        os.kill(frozen, signal.SIGCONT)
    assert answer.status_code == 303
    assert took < 1.5, f"it took {took:.2f} s"
    assert line.agent().get(proposal)["status"] == "approved"
    start_worker()
    start_beat()
    line.agent().wait_for(proposal, "confirmed")
