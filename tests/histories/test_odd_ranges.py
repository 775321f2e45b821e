"""Whole histories from seeds: every second range, so that two processes can play at the same time."""

import pytest

from tests.histories.ranges import RANGES, named, play
from tests.world import World


@pytest.mark.parametrize("seeds", RANGES[1::2], ids=named)
def test_a_random_history_keeps_every_promise(world: World, seeds: range) -> None:
    play(world, seeds)
