"""FF-30: one intent delivered many times, by a broker or by two clocks: it is sent once, whoever comes late leaves."""

import os
import signal
from contextlib import ExitStack

from intents import dispatching, sweeping, tasks
from intents.models import Attempt, Intent
from tests.crash.apart import beside
from tests.crash.recovering import take_messages
from tests.processes import until
from tests.world import World

TIMES = 5


def test_the_same_message_taken_by_five_processes_at_once_sends_once(world: World) -> None:
    intent = world.approved()
    world.sandbox.fault("delay", seconds=0.3)
    with ExitStack() as children:
        for _ in range(TIMES):
            children.enter_context(beside(lambda: tasks.hand_over(intent.pk)))
    assert world.status(intent) == "confirmed"
    assert (len(world.sandbox.submissions()), len(world.sandbox.effects()), Attempt.objects.count()) == (1, 1, 1)


def test_a_message_delivered_again_during_the_send_and_after_it_leaves_quietly(world: World) -> None:
    intent = world.approved()
    world.sandbox.fault("delay", seconds=0.5)
    with beside(lambda: tasks.hand_over(intent.pk)):
        until(world.sandbox.submissions)
        assert dispatching.hand_over(intent.pk, worker="again") == "not_ready"
    assert dispatching.hand_over(intent.pk, worker="once more") == "not_ready"
    assert world.status(intent) == "confirmed"
    assert (len(world.sandbox.submissions()), Attempt.objects.count()) == (1, 1)


def test_two_clocks_sweep_at_once_and_each_order_is_sent_once(world: World) -> None:
    for number in range(TIMES):
        file = f"D-{9300 + number}"
        world.sandbox.put("dossiers", file, version=7, state="active", establishment="A")
        world.sign(world.propose(file))  # and no message of it arrives
    with beside(sweeping.sweep), beside(sweeping.sweep):
        pass
    world.sweep()
    assert take_messages() >= TIMES
    assert Intent.objects.filter(state="confirmed").count() == TIMES
    assert len(world.sandbox.submissions()) == len(world.sandbox.effects()) == TIMES


def test_a_process_that_was_frozen_until_its_time_was_over_sends_nothing_when_it_goes_on(world: World) -> None:
    intent = world.approved()
    with beside(lambda: dispatching.hand_over(intent.pk, worker="frozen"), failpoint="marked:stop") as pid:
        os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOWAIT)
        until(lambda: _given_up(world, intent), what="the end of its time")
        os.kill(pid, signal.SIGCONT)
    assert world.sandbox.submissions() == []
    assert world.status(intent) == "outcome_unknown", "nobody else can know that it sent nothing"
    assert dispatching.hand_over(intent.pk, worker="another") == "not_ready"


def _given_up(world: World, intent: Intent) -> bool:
    world.sweep()
    intent.refresh_from_db()
    return bool(intent.state == "unknown")
