"""How soon all is settled after a disaster in the middle of the work, and what it cost: nothing lost, nothing twice.

    python -m benchmarks recovery --count 1000 --workers 4

The clock starts with the disaster and stops when every intent has ended, or is in doubt with a case that says so. It
includes the hand-over of all that was still to do, and the start of new workers where they were killed; the first line
tells how long the same work takes undisturbed.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import redis

from benchmarks.goals import Line
from benchmarks.settling import publish, standing
from benchmarks.stage import Stage, stage
from tests.processes import Process, until

DEADLINE, SWEEP, MARGIN = 10.0, 5.0, 5.0  # seconds: of an attempt, between sweeps, allowed besides
BOUND = DEADLINE + SWEEP + MARGIN
BEGUN = 0.1  # of the orders, when the disaster strikes


@dataclass
class Crew:
    """The workers of one run, and how to start them again."""

    scene: Stage
    processes: int

    def start(self) -> list[Process]:
        """Those that hand over, and those that look up and sweep."""
        return [
            self.scene.worker("config", "handover", self.processes),
            self.scene.worker("config", "probes,sweeps", 1),
        ]


def measure(*, count: int, workers: int, say: Callable[[str], None]) -> list[Line]:
    """Seconds to settle everything, lost and duplicated, after each disaster."""
    told: list[Line] = []
    with stage(delay_ms=0, sweep_seconds=SWEEP) as scene:
        scene.beat()
        crew = Crew(scene, workers)
        at_work = crew.start()
        for name, strike in _DISASTERS.items():
            ids = scene.orders(count, look_in=3)
            scene.reset()
            publish(ids)
            begun = count * BEGUN
            until(lambda begun=begun: scene.counted()["posts"] >= begun, what="the work has begun")
            struck = time.monotonic()
            at_work = strike(scene, crew, at_work)
            until(lambda ids=ids: standing(ids).settled, seconds=300, what="everything is settled")
            seconds = time.monotonic() - struck
            told += _lines(scene, name, ids, seconds)
            say(f"{name}: {seconds:.1f} s")
    return told


def _lines(scene: Stage, name: str, ids: list[int], seconds: float) -> list[Line]:
    now = standing(ids)
    lost, duplicated = now.lost_and_duplicated(scene.arrivals())
    label, aim = f"{len(ids)} orders, {name}", None if name == "undisturbed" else BOUND
    return [
        Line(f"{label}: all settled after", seconds, goal=aim, more=False, unit="s"),
        Line(f"{label}: lost", lost, goal=0, more=False),
        Line(f"{label}: duplicated", duplicated, goal=0, more=False),
        Line(f"{label}: in doubt, and listed", sum(state == "unknown" for state in now.states.values())),
    ]


def _nothing(scene: Stage, crew: Crew, at_work: list[Process]) -> list[Process]:
    return at_work


def _flush(scene: Stage, crew: Crew, at_work: list[Process]) -> list[Process]:
    with redis.Redis.from_url(scene.servers.redis_url) as broker:
        broker.flushall()
    return at_work


def _kill_all(scene: Stage, crew: Crew, at_work: list[Process]) -> list[Process]:
    for process in at_work:
        process.kill()
    return crew.start()


def _restart_broker(scene: Stage, crew: Crew, at_work: list[Process]) -> list[Process]:
    scene.servers.stop_valkey()
    scene.servers.start_valkey()
    return at_work


_DISASTERS: dict[str, Callable[[Stage, Crew, list[Process]], list[Process]]] = {
    "undisturbed": _nothing,
    "FLUSHALL": _flush,
    "SIGKILL of all workers": _kill_all,
    "broker restart": _restart_broker,
}
