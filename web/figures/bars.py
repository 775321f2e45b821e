"""A bar of parts, drawn on the server: each part a rectangle that a stylesheet colours, beside a table that says it."""

from collections.abc import Mapping
from dataclasses import dataclass

from web.figures.queries import ENDS

WIDTH = 1000  # units of the drawing, whatever its size on screen


@dataclass(frozen=True)
class Part:
    """One rectangle, from `x`, so wide."""

    name: str
    count: int
    x: int
    width: int


def parts(ends: Mapping[str, int]) -> list[Part]:
    """The parts of one bar, in the order of ENDS; together they fill it, and what happened is at least seen."""
    whole = sum(ends.values())
    drawn: list[Part] = []
    x, seen = 0, 0
    for name in ENDS:
        if ends[name]:
            seen += ends[name]
            end = max(round(WIDTH * seen / whole), x + 4)
            drawn.append(Part(name, ends[name], x, end - x))
            x = end
    return drawn
