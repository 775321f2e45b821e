"""Intents per second beside a bare Celery task that makes the same HTTP calls with the same workers.

    python -m benchmarks throughput --delay-ms 0 --workers 2 --count 200 --pairs 7

Interleaved A/B/B/A: each pair is one batch of ours beside one batch of each peer, in changing order; a first batch of
each is dropped. The messages of a batch lie ready in a list of their own, which becomes the queue in one step: nobody
publishes while somebody works. Two peers stand beside ours: `order` makes the order's call alone, `look and order`
observes the target first, as ours does. The observation is counted apart in two ways: against the peer that makes it as
well, and by taking from our time what it costs that peer.
"""

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import redis

from benchmarks import processors
from benchmarks.goals import Line
from benchmarks.ratios import ratio
from benchmarks.stage import Stage, stage

PEERS = {"order": "bare.post", "look and order": "bare.look_and_post"}
WORKERS = {"config": "handover", "benchmarks.bare": "bare"}
# goal and floor, by (delay in ms, workers)
AIMS = {(10.0, 8): (0.80, 0.70), (0.0, 2): (0.55, 0.45)}


@dataclass(frozen=True)
class Batch:
    """Orders a second by the target's own record; processor milliseconds an order of the workers and the database."""

    rate: float
    worker_ms: float
    database_ms: float

    @property
    def seconds(self) -> float:
        """Of one order."""
        return 1 / self.rate


Seen = Mapping[str, Sequence[Batch]]


def measure(*, delay_ms: float, workers: int, count: int, pairs: int, say: Callable[[str], None]) -> list[Line]:
    """Ratios of throughput and of processor time, ours to each peer."""
    with stage(delay_ms=delay_ms) as scene:
        seen = run(scene, workers=workers, count=count, pairs=pairs, say=say)
    return told(seen, label=f"{delay_ms:g} ms, {workers} workers", aim=AIMS.get((delay_ms, workers), (None, None)))


def run(scene: Stage, *, workers: int, count: int, pairs: int, say: Callable[[str], None]) -> Seen:
    """So many pairs of batches of each side, on a stage that is set."""
    at_work = [scene.worker(app, queue, workers, wait=False) for app, queue in WORKERS.items()]
    for worker in at_work:
        worker.says("ready.")
    ours, bare = (worker.pid for worker in at_work)
    batches: dict[str, Callable[[], Batch]] = {
        "ours": lambda: _ours(scene, count, ours),
        **{name: _peer(scene, count, task, bare) for name, task in PEERS.items()},
    }
    for batch in batches.values():
        batch()
    seen: dict[str, list[Batch]] = {name: [] for name in batches}
    for pair in range(pairs):
        for name in list(batches) if pair % 2 == 0 else reversed(list(batches)):
            seen[name].append(batches[name]())
        say("  ".join(f"{name} {seen[name][-1].rate:.0f}/s" for name in batches))
    return seen


def told(seen: Seen, *, label: str, aim: tuple[float | None, float | None]) -> list[Line]:
    """The lines of the table."""
    goal, floor = aim
    order, both = seen["order"], seen["look and order"]
    apart = [
        one.seconds - (looked.seconds - alone.seconds)
        for one, looked, alone in zip(seen["ours"], both, order, strict=True)
    ]
    rates = {
        "look and order, both sides": ratio(*([one.rate for one in seen[name]] for name in ("ours", "look and order"))),
        "order alone, our look taken off": ratio([one.seconds for one in order], apart),
        "order alone, our look included": ratio(*([one.rate for one in seen[name]] for name in ("ours", "order"))),
    }
    aims = [(goal, floor), (goal, floor), (None, None)]
    compared = [
        Line(f"throughput, {label}: {what}", one.median, one.low, *aim)
        for (what, one), aim in zip(rates.items(), aims, strict=True)
    ]
    return [*compared, *_costs(seen, label)]


def _costs(seen: Seen, label: str) -> list[Line]:
    """What an order costs each side, in processor time: a second, less noisy measure."""
    worker = ratio(*([one.worker_ms for one in seen[name]] for name in ("ours", "look and order")))
    costs = [Line(f"workers' processor time, {label}: look and order", worker.median, worker.high, more=False)]
    for name, runs in seen.items():
        costs.append(Line(f"{label}: {name}", median(one.rate for one in runs), unit="/s"))
        costs.append(Line(f"{label}: {name}, workers", median(one.worker_ms for one in runs), unit="ms"))
    costs.append(Line(f"{label}: ours, database", median(one.database_ms for one in seen["ours"]), unit="ms"))
    return costs


def _ours(scene: Stage, count: int, worker: int) -> Batch:
    from config.celery import app

    ids = scene.orders(count)

    def publish(queue: str) -> None:
        for pk in ids:
            app.send_task("intents.tasks.hand_over", [pk], queue=queue)

    return _batch(scene, count, worker, publish, queue="handover")


def _peer(scene: Stage, count: int, task: str, worker: int) -> Callable[[], Batch]:
    from benchmarks.bare import app

    def publish(queue: str) -> None:
        for number in range(count):
            app.send_task(task, [f"r-{number}"], queue=queue)

    return lambda: _batch(scene, count, worker, publish, queue="bare")


def _batch(scene: Stage, count: int, worker: int, publish: Callable[[str], None], *, queue: str) -> Batch:
    """Publish where nobody listens, let go, and read the target's own record."""
    database = processors.database()
    scene.reset()
    publish("parked")
    before = processors.seconds(worker), processors.seconds(database)
    with redis.Redis.from_url(os.environ["REDIS_URL"]) as broker:
        broker.rename("parked", queue)
    while (record := scene.counted())["posts"] < count:
        time.sleep(0.1)
    time.sleep(0.3)  # the last outcome is written
    spent = processors.seconds(worker) - before[0], processors.seconds(database) - before[1]
    assert scene.counted()["references"] == count, json.dumps(record)
    return Batch((count - 1) / record["span"], 1000 * spent[0] / count, 1000 * spent[1] / count)
