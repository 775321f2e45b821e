"""The bench runs, with the smallest numbers, on this run's servers; and its table says no more than was measured."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from benchmarks import growth, profile, throughput
from benchmarks.filling import fill
from benchmarks.goals import Line, table
from benchmarks.ratios import percentile, ratio, ratio_of_percentiles
from benchmarks.semantics import counted
from benchmarks.settling import Standing
from benchmarks.stage import Stage, seed
from intents.models import Intent
from tests.processes import ROOT, free_port


@pytest.fixture
def scene(database: None, run_env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """A stage on the servers of this run, with a target of its own."""
    from systems.adapters import registry

    target = f"http://127.0.0.1:{free_port()}"
    systems = str(ROOT / "sandbox" / "systems")
    made = Stage(None, target, {**run_env, "SANDBOX_URL": target, "SYSTEMS_DIR": systems}, tmp_path)
    for name, value in made.env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(settings, "SYSTEMS_DIR", systems)
    registry.reload()
    made.start_target(0)
    seed(made)
    yield made
    made.close()
    monkeypatch.undo()
    registry.reload()


def test_workers_of_both_sides_make_the_same_calls_and_a_table_is_printed(scene: Stage):
    seen = throughput.run(scene, workers=1, count=3, pairs=1, say=print)
    told = table(throughput.told(seen, label="tiny", aim=(0.1, 0.1)))
    assert "| throughput, tiny: look and order, both sides |" in told
    assert "| 0.10 | 0.10 |" in told


def test_orders_are_handed_over_beside_many_that_are_settled(scene: Stage):
    fill(connection, scene.pattern, 5)
    assert Intent.objects.filter(state="confirmed", pk__lt=0).count() == 5
    each, sweep = growth.batch(scene, 1)
    assert each > 0
    assert sweep > 0
    assert profile.run(scene, count=1, sort="tottime", say=lambda _: None)[0].value > 5


def test_a_verdict_needs_the_median_at_the_goal_and_the_cautious_end_at_the_floor():
    def verdict(value: float, bound: float | None, floor: float | None = 0.7, *, more: bool = True) -> str:
        return Line("x", value, bound, 0.8, floor, more=more).verdict

    assert verdict(0.85, 0.75) == "goal"
    assert verdict(0.78, 0.75) == "floor"
    assert verdict(0.85, 0.65) == "missed"
    assert verdict(0.85, None, None) == "goal"
    assert verdict(0.85, None, None, more=False) == "missed"
    assert Line("x", 3).verdict == ""


def test_a_ratio_is_that_of_the_pairs_and_stands_between_its_ends():
    one = ratio([8, 9, 4, 8, 8, 9, 8], [10, 10, 10, 10, 10, 10, 10])
    assert one.median == 0.8
    assert 0.4 <= one.low <= one.median <= one.high <= 0.9
    assert percentile(range(1, 101), 0.95) == 95
    assert ratio_of_percentiles([2.0] * 20, [1.0] * 20, 0.95).high == 2.0


def test_an_order_without_effect_is_lost_unless_its_side_lists_it():
    effects = Counter({"a": 1, "b": 2})
    assert counted(["a", "b", "c", "d"], effects, {"c"}) == {
        "with one effect": 1,
        "lost": 1,
        "duplicated": 1,
        "in doubt, and listed": 1,
    }
    assert counted(["a", "c", "d"], effects, 5)["lost"] == 0
    now = Standing(states={1: "confirmed", 2: "unknown", 3: "void"}, references={1: "a", 2: "c", 3: "b"})
    assert now.settled
    assert now.lost_and_duplicated([(0.0, "b"), (0.1, "b")]) == (1, 1)
