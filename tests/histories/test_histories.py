"""Whole histories from seeds: what the product says, an independent model, and the business system's own ledger agree.

`COUNTERSIGN_SEEDS=0-200` says which seeds are played, `COUNTERSIGN_SEED=17` replays one and prints its steps;
`COUNTERSIGN_SOAK_FILE` receives the counts.
"""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from tests.histories.playing import History
from tests.world import World

FIRST, LAST = (int(part) for part in os.environ.get("COUNTERSIGN_SEEDS", "0-40").split("-"))
TOGETHER = 20  # histories that share one world: each has files of its own, and puts every gate back as it begins
LENGTH = 16
ONE = os.environ.get("COUNTERSIGN_SEED")
CHUNKS = (
    [range(int(ONE), int(ONE) + 1)]
    if ONE
    else [range(first, min(first + TOGETHER, LAST)) for first in range(FIRST, LAST, TOGETHER)]
)


@pytest.mark.parametrize("seeds", CHUNKS, ids=lambda seeds: f"{seeds.start}-{seeds.stop}")
def test_a_random_history_keeps_every_promise(world: World, seeds: range) -> None:
    counts: Counter[str] = Counter()
    for seed in seeds:
        history = History(world, seed)
        try:
            history.play(LENGTH)
        except Exception as error:
            told = "\n".join(history.steps)
            raise AssertionError(f"seed {seed} (COUNTERSIGN_SEED={seed} replays it):\n{told}\n{error!r}") from error
        counts += history.counts + Counter(histories=1)
    _keep(counts)


def _keep(counts: Counter[str]) -> None:
    place = os.environ.get("COUNTERSIGN_SOAK_FILE")
    if place:
        with Path(place).open("a") as file:
            file.write(json.dumps(counts) + "\n")
