"""Ranges of seeds, each played on one world: what the product says, an independent model, and the ledger agree.

`COUNTERSIGN_SEEDS=0-200` says which seeds are played, `COUNTERSIGN_STEPS=12` how many steps each has,
`COUNTERSIGN_SEED=17` replays one and prints its steps; `COUNTERSIGN_SOAK_FILE` receives the counts.
"""

import json
import os
from collections import Counter
from pathlib import Path

from tests.histories.playing import History
from tests.world import World

FIRST, LAST = (int(part) for part in os.environ.get("COUNTERSIGN_SEEDS", "0-200").split("-"))
STEPS = int(os.environ.get("COUNTERSIGN_STEPS", "12"))
TOGETHER = 10  # histories that share one world: each has files of its own, and puts every gate back as it begins
ONE = os.environ.get("COUNTERSIGN_SEED")
RANGES = (
    [range(int(ONE), int(ONE) + 1)]
    if ONE
    else [range(first, min(first + TOGETHER, LAST)) for first in range(FIRST, LAST, TOGETHER)]
)


def named(seeds: range) -> str:
    """`20-30`."""
    return f"{seeds.start}-{seeds.stop}"


def play(world: World, seeds: range) -> None:
    """Each seed of the range was played and kept every promise; the counts are kept for the soak."""
    counts: Counter[str] = Counter()
    for seed in seeds:
        history = History(world, seed)
        try:
            history.play(STEPS)
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
