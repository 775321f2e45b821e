"""Ratios of measurements, and the ends between which chance leaves them. Pure; the same at every reading."""

import math
import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

ROUNDS = 2000


@dataclass(frozen=True)
class Ratio:
    """A ratio, and the ends of its bootstrap interval (95 %)."""

    median: float
    low: float
    high: float


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> Ratio:
    """The median of ours divided by theirs, pair by pair."""
    each = [mine / yours for mine, yours in zip(ours, theirs, strict=True)]
    return _between(statistics.median(each), lambda chance: statistics.median(chance.choices(each, k=len(each))))


def ratio_of_percentiles(ours: Sequence[float], theirs: Sequence[float], share: float) -> Ratio:
    """A percentile of ours divided by the same of theirs; the samples are not paired."""

    def drawn(chance: random.Random) -> float:
        mine, yours = (chance.choices(seen, k=len(seen)) for seen in (ours, theirs))
        return percentile(mine, share) / percentile(yours, share)

    return _between(percentile(ours, share) / percentile(theirs, share), drawn)


def percentile(seen: Sequence[float], share: float) -> float:
    """The smallest value that so large a share does not exceed."""
    return sorted(seen)[max(0, math.ceil(share * len(seen)) - 1)]


def _between(value: float, drawn: Callable[[random.Random], float]) -> Ratio:
    chance = random.Random(20)  # noqa: S311  a bootstrap
    seen = sorted(drawn(chance) for _ in range(ROUNDS))
    return Ratio(value, seen[ROUNDS // 40], seen[-ROUNDS // 40])
