"""Ratios of paired measurements: the median, and a lower bound that chance seldom undercuts."""

import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

ROUNDS = 2000


@dataclass(frozen=True)
class Ratio:
    """The median of the pairs' ratios, and the lower end of its bootstrap interval (95 %, one side 97.5 %)."""

    median: float
    low: float
    high: float
    pairs: int


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> Ratio:
    """Ours divided by theirs, pair by pair."""
    each = [mine / yours for mine, yours in zip(ours, theirs, strict=True)]
    chance = random.Random(20)  # noqa: S311  a bootstrap, the same at every reading
    medians = sorted(statistics.median(chance.choices(each, k=len(each))) for _ in range(ROUNDS))
    return Ratio(statistics.median(each), medians[ROUNDS // 40], medians[-ROUNDS // 40], len(each))
