"""Many at the same work: four workers, two beats, every message three times, one worker asleep past its deadline."""

import signal
import time
from collections.abc import Callable

from intents.models import Attempt, Evidence, Intent
from tests.processes import Process, until
from tests.world import World

OTHERS = 12


def approved_on_file_of_its_own(world: World, number: int) -> Intent:
    """An order that conflicts with no other."""
    ref = f"D-{7000 + number}"
    world.sandbox.put("dossiers", ref, version=1, state="active", establishment="A")
    given = {"dossier_ref": ref, "expected_version": 1, "reason_code": "ECART_MONTANT"}
    return world.approved(arguments=given, session=f"s{number % 3}")


def asleep_in_mid_send(world: World, start_worker: Callable[..., Process]) -> tuple[Process, Intent]:
    """A worker that was stopped between its order and the answer, which takes a second."""
    sleeper = start_worker(queues="handover")
    world.sandbox.fault("delay", seconds=1.0, times=1)
    intent = approved_on_file_of_its_own(world, 0)
    world.sweep()
    until(lambda: world.sandbox.submissions())
    sleeper.kill(signal.SIGSTOP)
    return sleeper, intent


def test_four_workers_and_two_beats_send_each_order_once_and_a_sleeper_adds_evidence_alone(
    world: World, start_worker: Callable[..., Process], start_beat: Callable[[], Process]
) -> None:
    from config.celery import app

    sleeper, slept = asleep_in_mid_send(world, start_worker)
    others = [approved_on_file_of_its_own(world, number) for number in range(1, OTHERS + 1)]
    for intent in (*others, slept) * 3:
        app.send_task("intents.tasks.hand_over", [intent.pk])
    for _ in range(3):
        start_worker()
    for _ in range(2):
        start_beat()
    until(lambda: Intent.objects.filter(state="confirmed").count() == OTHERS + 1, what="all are confirmed")
    slept.refresh_from_db()
    settled = (slept.state, slept.confirmed_by, slept.changed_at)
    sleeper.kill(signal.SIGCONT)
    late = Evidence.objects.filter(intent=slept, source="answer", late=True)
    until(late.exists, what="the resumed worker's answer is kept")
    time.sleep(1)  # whatever else it would do
    slept.refresh_from_db()
    assert (slept.state, slept.confirmed_by, slept.changed_at) == settled
    assert late.count() == 1
    assert list(Attempt.objects.values_list("number", flat=True)) == [1] * (OTHERS + 1)
    assert Attempt.objects.get(intent=slept).result == "no_answer"
    assert len(world.sandbox.submissions()) == len(world.sandbox.effects()) == OTHERS + 1
