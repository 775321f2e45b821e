"""FF-31: killed around the send: never a second one, and never "being sent" for longer than its time."""

import os
import signal
from collections.abc import Callable

import pytest

from intents import dispatching, sweeping
from intents.models import Attempt, Case, Intent
from journal.clock import now as database_now
from tests.crash.apart import alone, beside
from tests.crash.recovering import recover
from tests.processes import Process, until
from tests.world import World

KILLED = -signal.SIGKILL


def _hand_over(intent: Intent) -> Callable[[], object]:
    return lambda: dispatching.hand_over(intent.pk, worker="victim")


def _its_time_is_over(intent: Intent) -> Intent:
    Intent.objects.filter(pk=intent.pk, state="sending").update(deadline=database_now())
    sweeping.sweep()
    intent.refresh_from_db()
    return intent


@pytest.mark.parametrize("step", ["taken_up", "observed", "decided", "before_mark_commit"])
def test_killed_before_it_was_marked_it_is_sent_later_once(world: World, step: str) -> None:
    intent = world.approved()
    assert alone(_hand_over(intent), failpoint=f"{step}:kill") == KILLED
    intent.refresh_from_db()
    assert (intent.state, Attempt.objects.count(), world.sandbox.submissions()) == ("ready", 0, [])
    recover()
    assert world.status(intent) == "confirmed"
    assert len(world.sandbox.submissions()) == len(world.sandbox.effects()) == 1


def test_killed_between_the_mark_and_the_first_byte_it_is_unknown_and_a_person_is_told(world: World) -> None:
    """From outside this cannot be told from a request that arrived: nothing is sent again."""
    intent = world.approved()
    assert alone(_hand_over(intent), failpoint="marked:kill") == KILLED
    assert _its_time_is_over(intent).state == "unknown"
    assert Case.objects.get(intent=intent).closed_at is None
    recover()
    assert (world.status(intent), Attempt.objects.count()) == ("outcome_unknown", 1)
    assert world.sandbox.submissions() == []


def test_killed_while_the_business_system_works_on_it_a_look_confirms_it(world: World) -> None:
    intent = world.approved()
    world.sandbox.fault("delay", seconds=0.3)
    with beside(_hand_over(intent), ends=KILLED) as pid:
        until(world.sandbox.submissions)
        os.kill(pid, signal.SIGKILL)
    _is_established_without_a_second_send(world, intent)


def test_killed_after_the_answer_before_it_was_written_a_look_confirms_it(world: World) -> None:
    intent = world.approved()
    assert alone(_hand_over(intent), failpoint="handed_over:kill") == KILLED
    _is_established_without_a_second_send(world, intent)


def _is_established_without_a_second_send(world: World, intent: Intent) -> None:
    intent.refresh_from_db()
    assert intent.state == "sending"
    until(world.sandbox.effects)
    assert _its_time_is_over(intent).state == "unknown"
    assert intent.next_probe_at is not None, "a look is due"
    recover()
    assert world.status(intent) == "confirmed"
    assert (len(world.sandbox.submissions()), len(world.sandbox.effects()), Attempt.objects.count()) == (1, 1, 1)


def test_a_worker_asked_to_stop_during_a_send_finishes_it_first(
    world: World, start_worker: Callable[..., Process]
) -> None:
    worker = start_worker()
    world.sandbox.fault("delay", seconds=0.5)
    intent = world.approved()
    world.sweep()
    until(world.sandbox.submissions)
    os.kill(worker.pid, signal.SIGTERM)  # as an orchestrator does: the first process, which lets the others finish
    worker.child.wait(10)
    assert world.status(intent) == "confirmed"
    assert len(world.sandbox.submissions()) == len(world.sandbox.effects()) == 1
