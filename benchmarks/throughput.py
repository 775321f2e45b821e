"""Intents per second beside a bare Celery task that makes the same HTTP calls with the same workers.

    python -m benchmarks throughput --delay-ms 0 --workers 2 --count 200 --pairs 7

Interleaved A/B/B/A: each pair is one batch of ours beside one batch of the peer, in changing order; a first batch of
each is dropped. Two peers stand beside ours: `order` makes the order's call alone, `look and order` observes the
target first, as ours does: against that one the observation is counted apart.
"""

import json
import os
import time
from collections.abc import Callable
from typing import Any

import redis

from benchmarks.ratios import Ratio, ratio
from benchmarks.stage import Stage, stage

PEERS = {"order": "bare.post", "look and order": "bare.look_and_post"}


def measure(*, delay_ms: float, workers: int, count: int, pairs: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Ratios of throughput and of processor time, ours to each peer."""
    with stage(delay_ms=delay_ms) as scene:
        ours = scene.workers("config", "handover", workers)
        bare = scene.workers("benchmarks.bare", "bare", workers)
        time.sleep(6)
        batches: dict[str, Callable[[], tuple[float, float]]] = {
            "ours": lambda: _ours(scene, count, ours.pid),
            **{name: _peer(scene, count, task, bare.pid) for name, task in PEERS.items()},
        }
        for batch in batches.values():
            batch()
        seen: dict[str, list[tuple[float, float]]] = {name: [] for name in batches}
        for pair in range(pairs):
            order = list(batches) if pair % 2 == 0 else list(reversed(batches))
            for name in order:
                seen[name].append(batches[name]())
            say("  ".join(f"{name} {seen[name][-1][0]:.0f}/s {seen[name][-1][1]:.2f} ms" for name in batches))
    return _summary(seen)


def _summary(seen: dict[str, list[tuple[float, float]]]) -> dict[str, Any]:
    told: dict[str, Any] = {name: {"per_second": sorted(rate for rate, _ in runs)} for name, runs in seen.items()}
    for peer in PEERS:
        told[f"throughput to {peer}"] = _told(ratio(*([rate for rate, _ in seen[name]] for name in ("ours", peer))))
        told[f"processor time to {peer}"] = _told(ratio(*([cpu for _, cpu in seen[name]] for name in ("ours", peer))))
    return told


def _told(one: Ratio) -> dict[str, float]:
    return {"median": round(one.median, 3), "low": round(one.low, 3), "high": round(one.high, 3), "pairs": one.pairs}


def _ours(scene: Stage, count: int, worker: int) -> tuple[float, float]:
    from config.celery import app

    ids = scene.orders(count)
    return _batch(scene, count, worker, lambda: [app.send_task("intents.tasks.hand_over", [pk]) for pk in ids])


def _peer(scene: Stage, count: int, task: str, worker: int) -> Callable[[], tuple[float, float]]:
    from benchmarks.bare import app

    def publish() -> list[Any]:
        return [app.send_task(task, [f"r-{time.monotonic_ns()}"], queue="bare") for _ in range(count)]

    return lambda: _batch(scene, count, worker, publish)


def _batch(scene: Stage, count: int, worker: int, publish: Callable[[], Any]) -> tuple[float, float]:
    """Publish while nobody takes, let go, and see the target's own record: orders a second, processor ms an order."""
    scene.reset()
    broker = redis.Redis.from_url(os.environ["REDIS_URL"])
    before = _processor_seconds(worker)
    publish()
    while scene.counted()["posts"] < count:
        time.sleep(0.02)
    _drained(broker)
    record = scene.counted()
    spent = _processor_seconds(worker) - before
    assert record["references"] == count, json.dumps({key: record[key] for key in ("posts", "references")})
    return (count - 1) / record["span"], 1000 * spent / count


def _drained(broker: Any) -> None:
    while broker.llen("handover") or broker.llen("bare"):
        time.sleep(0.02)
    time.sleep(0.3)


def _processor_seconds(leader: int) -> float:
    """Of the worker and its children, as the kernel counts them (Linux)."""
    ticks = 0
    for entry in os.scandir("/proc"):
        if entry.name.isdigit() and _group(entry.name) == leader:
            ticks += sum(int(part) for part in _stat(entry.name)[11:13])
    return ticks / os.sysconf("SC_CLK_TCK")


def _stat(pid: str) -> list[str]:
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()


def _group(pid: str) -> int:
    try:
        return int(_stat(pid)[2])
    except (OSError, IndexError):
        return -1
