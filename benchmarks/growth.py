"""What a hand-over costs with few and with many intents in the tables.

    python -m benchmarks growth --sizes 100,10000,1000000 --count 50 --pairs 7

One seeded database is copied for each size, and filled with settled intents: each has its proposal, revision,
authorization, signature, attempt, evidence and last entry of the journal, without the bulk of their texts. The same
number of orders is handed over in each, in this process, in turns that change direction. A sweep over each is timed as
well: it is what reads more than one intent.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

from benchmarks.filling import fill
from benchmarks.goals import Line
from benchmarks.ratios import ratio
from benchmarks.stage import Stage, stage

WITHIN = 1.3


def measure(*, sizes: str, count: int, pairs: int, say: Callable[[str], None]) -> list[Line]:
    """Milliseconds of one hand-over at each size, and the ratio to the smallest."""
    asked = [int(size) for size in sizes.split(",")]
    with stage(delay_ms=0) as scene:
        databases = {size: _grown(scene, size, say) for size in asked}
        seen: dict[int, list[float]] = {size: [] for size in asked}
        sweeps: dict[int, list[float]] = {size: [] for size in asked}
        for turn in range(-1, pairs):
            for size in asked if turn % 2 == 0 else reversed(asked):
                with _at(databases[size]):
                    each, sweep = batch(scene, count)
                if turn >= 0:
                    seen[size].append(each)
                    sweeps[size].append(sweep)
            say("  ".join(f"{size}: {runs[-1]:.1f} ms" for size, runs in seen.items() if runs))
    return _lines(seen, sweeps)


def _lines(seen: dict[int, list[float]], sweeps: dict[int, list[float]]) -> list[Line]:
    smallest = min(seen)
    told = []
    for size, runs in seen.items():
        if size != smallest:
            one = ratio(runs, seen[smallest])
            label = f"one hand-over with {size:,} intents, to the same with {smallest:,}"
            told.append(Line(label, one.median, one.high, WITHIN, more=False))
        told.append(Line(f"one hand-over with {size:,} intents", median(runs), unit="ms"))
        told.append(Line(f"one sweep with {size:,} intents", median(sweeps[size]), unit="ms"))
    return told


def batch(scene: Stage, count: int) -> tuple[float, float]:
    """Milliseconds of the median hand-over of a batch, and of a sweep."""
    from intents.dispatching import hand_over
    from intents.sweeping import sweep

    each = []
    for pk in scene.orders(count):
        began = time.monotonic()
        assert hand_over(pk, worker="bench") == "confirmed"
        each.append(1000 * (time.monotonic() - began))
    began = time.monotonic()
    sweep()
    return median(each), 1000 * (time.monotonic() - began)


def _grown(scene: Stage, size: int, say: Callable[[str], None]) -> str:
    """A copy of the seeded database, with so many settled intents."""
    name = f"of_{size}"
    with _at("postgres") as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name} TEMPLATE countersign")
    began = time.monotonic()
    with _at(name) as connection:
        fill(connection, scene.pattern, size)
    say(f"{size:,} intents made in {time.monotonic() - began:.0f} s")
    return name


@contextmanager
def _at(database: str) -> Iterator[Any]:
    """This process works on that database of the same server."""
    from django.db import connection

    before = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = database
    try:
        yield connection
    finally:
        connection.close()
        connection.settings_dict["NAME"] = before
