"""What is aimed at, what is the least, and whether a measurement reaches them. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """One line of the table. `value` counts for the goal, `bound` (the cautious end of the interval) for the floor.

    `more` tells that more is better. Without a floor the goal is all that is judged; without a goal, nothing is.
    """

    what: str
    value: float
    bound: float | None = None
    goal: float | None = None
    floor: float | None = None
    more: bool = True
    unit: str = ""

    @property
    def verdict(self) -> str:
        """`goal`, `floor`, `missed`, or empty where nothing was aimed at."""
        if self.goal is None:
            return ""
        cautious = self.value if self.bound is None else self.bound
        if self.floor is not None and not self._reaches(cautious, self.floor):
            return "missed"
        if self._reaches(self.value, self.goal):
            return "goal"
        return "missed" if self.floor is None else "floor"

    def _reaches(self, value: float, aim: float) -> bool:
        return value >= aim if self.more else value <= aim


def table(lines: Sequence[Line]) -> str:
    """The lines as a Markdown table."""
    rows = [("measured", "median", "bound", "goal", "floor", "verdict")]
    rows += [
        (one.what, *(_spelt(number, one.unit) for number in (one.value, one.bound, one.goal, one.floor)), one.verdict)
        for one in lines
    ]
    head, *body = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([head, f"|{' --- |' * len(rows[0])}", *body])


def _spelt(number: float | None, unit: str) -> str:
    if number is None:
        return "–"
    text = f"{number:.0f}" if float(number).is_integer() or abs(number) >= 100 else f"{number:.2f}"
    return f"{text} {unit}".strip()
