"""How soon all is settled after a disaster in the middle of the work, and what it cost: nothing lost, nothing twice.

    python -m benchmarks recovery --count 1000 --workers 4

The clock starts with the disaster and stops when every intent has ended, or is in doubt with a case that says so. It
includes the hand-over of all that was still to do, and the start of new workers where they were killed; the first line
tells how long the same work takes undisturbed.
"""

import time
from collections.abc import Callable

import redis

from benchmarks.goals import Line
from benchmarks.settling import publish, standing
from benchmarks.stage import Stage, stage
from tests.processes import Process, until

DEADLINE, SWEEP, MARGIN = 10.0, 5.0, 5.0  # seconds: of an attempt, between sweeps, allowed besides
BOUND = DEADLINE + SWEEP + MARGIN
PATIENCE = 300.0
BEGUN = 0.1  # of the orders, when the disaster strikes


class Crew:
    """The workers of one run. Whoever ends is started again, as a deployment does (`restart: unless-stopped`)."""

    def __init__(self, scene: Stage, processes: int) -> None:
        self.scene = scene
        self._duties = {"handover": processes, "probes,sweeps": 1}
        self.at_work = {queues: self._start(queues, wait=True) for queues in self._duties}
        self.revived = 0

    def tend(self) -> None:
        """Whoever has ended is started again."""
        for queues, process in self.at_work.items():
            if process.child.poll() is not None:
                self.at_work[queues] = self._start(queues, wait=False)
                self.revived += 1

    def _start(self, queues: str, *, wait: bool) -> Process:
        return self.scene.worker("config", queues, self._duties[queues], wait=wait)


def measure(*, count: int, workers: int, only: str, say: Callable[[str], None]) -> list[Line]:
    """Seconds to settle everything, lost and duplicated, after each disaster (or `only` those named, by commas)."""
    told: list[Line] = []
    took: dict[str, float] = {}
    with stage(delay_ms=0, sweep_seconds=SWEEP) as scene:
        scene.beat()
        crew = Crew(scene, workers)
        for name in only.split(","):
            ids = scene.orders(count, look_in=3)
            crew.revived = 0
            scene.reset()
            publish(ids)
            until(lambda: scene.counted()["posts"] >= count * BEGUN, what="the work has begun")
            struck = time.monotonic()
            DISASTERS[name](crew)
            _wait_until_settled(crew, ids)
            took[name] = time.monotonic() - struck
            told += _lines(crew, name, ids, took)
            say(f"{name}: {took[name]:.1f} s")
    return told


def _wait_until_settled(crew: Crew, ids: list[int]) -> None:
    ends = time.monotonic() + PATIENCE
    while not standing(ids).settled:
        crew.tend()
        if time.monotonic() > ends:
            raise TimeoutError("it is not settled")
        time.sleep(0.25)


def _lines(crew: Crew, name: str, ids: list[int], took: dict[str, float]) -> list[Line]:
    now = standing(ids)
    lost, duplicated = now.lost_and_duplicated(crew.scene.arrivals())
    label, plain = f"{len(ids)} orders, {name}", took.get("undisturbed")
    aim = None if name == "undisturbed" else BOUND
    told = [Line(f"{label}: all settled after", took[name], goal=aim, more=False, unit="s")]
    if plain is not None and aim is not None:
        told.append(Line(f"{label}: of which an undisturbed run takes", plain, unit="s"))
    return [
        *told,
        Line(f"{label}: lost", lost, goal=0, more=False),
        Line(f"{label}: duplicated", duplicated, goal=0, more=False),
        Line(f"{label}: in doubt, and listed", sum(state == "unknown" for state in now.states.values())),
        Line(f"{label}: workers started again", crew.revived),
    ]


def _nothing(crew: Crew) -> None:
    """For comparison."""


def _flush(crew: Crew) -> None:
    with redis.Redis.from_url(crew.scene.servers.redis_url) as broker:
        broker.flushall()


def _kill_all(crew: Crew) -> None:
    for process in crew.at_work.values():
        process.kill()
        process.child.wait()


def _restart_broker(crew: Crew) -> None:
    crew.scene.servers.stop_valkey()
    crew.scene.servers.start_valkey()


DISASTERS: dict[str, Callable[[Crew], None]] = {
    "undisturbed": _nothing,
    "FLUSHALL": _flush,
    "SIGKILL of all workers": _kill_all,
    "broker restart": _restart_broker,
}
