"""A budget as a contract writes it: `60/h` is at most sixty in an hour."""

from dataclasses import dataclass
from datetime import timedelta

_UNITS = {"s": timedelta(seconds=1), "min": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}


@dataclass(frozen=True)
class Rate:
    """At most `most` in `per`; `text` as it was written."""

    text: str
    most: int
    per: timedelta


def rate(text: str) -> Rate:
    """The rate in a text that fits the contract's schema (`20/min`)."""
    most, _, unit = text.partition("/")
    return Rate(text, int(most), _UNITS[unit])
