"""The same jobs under the same random kills, on five sides; what became of them is counted at the target.

    python -m benchmarks semantics --count 1000 --kills 8 --sides ours,early,late,procrastinate,dbos

Two worker instances of two processes each work on one list of orders; every job looks at the target, then orders. At
random moments one of the two, chosen at random, ends by SIGKILL with all its children, and is started again. When
nothing moves any more the target's record tells: orders that had no effect (`lost`), more than one (`duplicated`), and
what the side itself lists as not done (`in doubt`). An order without effect that its side lists is not lost: somebody
is told.
"""

import os
import random
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.goals import Line
from benchmarks.settling import Standing, publish, standing
from benchmarks.stage import Stage, stage
from tests.processes import ROOT, Process, until

PEERS_PYTHON = ROOT / ".bench" / "venv" / "bin" / "python"
TARGET_MS = 20.0  # long enough that a killed process often has an order under way
QUIET = 15.0  # seconds without an arrival: longer than every side's redelivery
INSTANCES = ("one", "two")


@dataclass(frozen=True)
class Side:
    """One competitor: its jobs are published, an instance is started, and in the end it tells what it knows undone."""

    publish: Callable[[int], Iterable[str]]
    work: Callable[[str], Process]
    at_rest: Callable[[], bool]
    in_doubt: Callable[[], set[str] | int]


def measure(*, count: int, kills: int, sides: str, say: Callable[[str], None]) -> list[Line]:
    """Effects counted at the target, side by side."""
    told: list[Line] = []
    with stage(delay_ms=TARGET_MS) as scene:
        for name in sides.split(","):
            found = _trial(scene, SIDES[name](scene), count=count, kills=kills)
            scene.dismiss()
            say(f"{name}: {dict(found)}")
            told += _lines(f"{count} jobs, {kills} kills, {name}", found, judged=name == "ours")
    return told


def _lines(label: str, found: Counter[str], *, judged: bool) -> list[Line]:
    aims = {"lost": 0.0, "duplicated": 0.0} if judged else {}
    return [Line(f"{label}: {what}", number, goal=aims.get(what), more=False) for what, number in found.items()]


def _trial(scene: Stage, side: Side, *, count: int, kills: int) -> Counter[str]:
    references = list(side.publish(count))
    scene.reset()
    instances = {name: side.work(name) for name in INSTANCES}
    chance = random.Random(count)  # noqa: S311  the same moments for every side
    for after in sorted(chance.sample(range(count // 20, count - count // 20), kills)):
        until(lambda after=after: scene.counted()["posts"] >= after, seconds=300, what=f"{after} orders")
        time.sleep(chance.uniform(0, 0.05))
        name = chance.choice(INSTANCES)
        instances[name].kill()
        instances[name].child.wait()
        instances[name] = side.work(name)
    _wait_for_rest(scene, side)
    effects = Counter(reference for _, reference in scene.arrivals())
    return counted(references, effects, side.in_doubt())


def _wait_for_rest(scene: Stage, side: Side) -> None:
    seen, since = -1, time.monotonic()
    while time.monotonic() - since < QUIET or not side.at_rest():
        posts = scene.counted()["posts"]
        if posts != seen:
            seen, since = posts, time.monotonic()
        if time.monotonic() - since > 20 * QUIET:
            raise TimeoutError("it does not come to rest")
        time.sleep(0.5)


def counted(references: list[str], effects: Counter[str], doubts: set[str] | int) -> Counter[str]:
    """What became of the orders, by the target's record and what their side lists as not done."""
    without = [reference for reference in references if not effects[reference]]
    if isinstance(doubts, set):
        lost = sum(reference not in doubts for reference in without)
        number = len(doubts)
    else:
        lost, number = max(0, len(without) - doubts), doubts
    return Counter(
        {
            "with one effect": sum(effects[reference] == 1 for reference in references),
            "lost": lost,
            "duplicated": sum(effects[reference] > 1 for reference in references),
            "in doubt, and listed": number,
        }
    )


# --- ours


def _ours(scene: Stage) -> Side:
    ids: list[int] = []

    def order(count: int) -> list[str]:
        ids.extend(scene.orders(count, look_in=3))
        scene.beat()
        publish(ids)
        return list(standing(ids).references.values())

    def doubted() -> set[str]:
        now = standing(ids)
        return {now.references[pk] for pk in ids if now.states[pk] == "unknown"}

    queues = "handover,probes,sweeps"
    return Side(order, lambda name: _start_ours(scene, queues), lambda: _looked_into(standing(ids)), doubted)


def _start_ours(scene: Stage, queues: str) -> Process:
    return scene.worker("config", queues, 2, wait=False)


def _looked_into(now: Standing) -> bool:
    """Everything has ended, or is in doubt and was looked up once."""
    return now.settled and not now.unprobed


# --- peers


def _celery(scene: Stage, *, late: bool) -> Side:
    def order(count: int) -> list[str]:
        from benchmarks.bare import app

        references = [f"r-{number}" for number in range(count)]
        for reference in references:
            app.send_task("bare.look_and_post", [reference], queue="bare")
        return references

    env = {"BARE_ACKS_LATE": "1" if late else "0"}
    return Side(
        order,
        lambda name: scene.worker("benchmarks.bare", "bare", 2, wait=False, **env),
        lambda: True,
        set,
    )


def _peer(scene: Stage, module: str) -> Side:
    if not PEERS_PYTHON.exists():
        raise SystemExit(f"{Path(*PEERS_PYTHON.parts[-4:])} is missing: `make bench` installs the peers.")
    env = {"PEER_DATABASE_URL": scene.servers.create_database("peer")}

    def asked(*words: str) -> str:
        command = [str(PEERS_PYTHON), "-m", module, *words]
        told = subprocess.run(  # noqa: S603  our own module
            command, env={**os.environ, **env}, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
        )
        return told.stdout.strip()

    def order(count: int) -> list[str]:
        asked("publish", str(count))
        return [f"r-{number}" for number in range(count)]

    return Side(
        order,
        lambda name: scene.start(module, "work", name, python=str(PEERS_PYTHON), **env),
        lambda: True,
        lambda: int(asked("unfinished").splitlines()[-1]),
    )


SIDES: dict[str, Callable[[Stage], Side]] = {
    "ours": _ours,
    "early": lambda scene: _celery(scene, late=False),
    "late": lambda scene: _celery(scene, late=True),
    "procrastinate": lambda scene: _peer(scene, "benchmarks.peers.procrastinating"),
    "dbos": lambda scene: _peer(scene, "benchmarks.peers.dbos_jobs"),
}
