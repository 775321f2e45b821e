"""ISO 8601 durations of fixed length, as configuration writes them."""

import re
from datetime import timedelta

_SHAPE = re.compile(
    r"P(?!$)(?:(?P<days>\d{1,5})D)?"
    r"(?:T(?!$)(?:(?P<hours>\d{1,6})H)?(?:(?P<minutes>\d{1,7})M)?(?:(?P<seconds>\d{1,9}(?:\.\d{1,6})?)S)?)?",
    re.ASCII,
)


class DurationError(ValueError):
    """The text is not a duration of days, hours, minutes and seconds."""


def duration(text: str) -> timedelta:
    """`PT10S`, `PT0.5S`, `PT2M`, `PT1H30M`, `P1D` as a timedelta; DurationError for years, months and anything else."""
    found = _SHAPE.fullmatch(text)
    if not found:
        raise DurationError(f"“{text[:40]}” is not a duration such as PT10S, PT2M, PT24H or P7D.")
    return timedelta(**{unit: float(amount) for unit, amount in found.groupdict().items() if amount})
