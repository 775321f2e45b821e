"""Knows a loop when it sees one: the same call again and again, or the same few calls round and round."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True)
class Loops:
    """When an agent's session counts as turning in circles.

    `same_call`: so many equal calls in a row. `depth` and `rounds`: so many equal rounds of at most so many calls.
    Calls longer ago than `within` are forgotten.
    """

    same_call: int = 8
    depth: int = 4
    rounds: int = 3
    within: timedelta = timedelta(minutes=10)

    @property
    def reach(self) -> int:
        """How many calls must be remembered to see any loop."""
        return max(self.same_call, self.depth * self.rounds)


def loop_in(calls: Sequence[str], limits: Loops) -> int:
    """How many calls long the round is that the last of `calls` (oldest first) closes; 0 where it closes none."""
    for length in range(1, limits.depth + 1):
        times = limits.same_call if length == 1 else limits.rounds
        last = calls[-length * times :]
        if len(last) == length * times and all(call == last[at % length] for at, call in enumerate(last)):
            return length
    return 0
