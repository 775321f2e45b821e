"""Which open cases are one event: the same trouble, close together in time, in one or several business systems. Pure.

Forty orders whose answers were lost in one outage are one thing to find out about, and forty to establish.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

TOGETHER = timedelta(minutes=15)  # cases further apart than this are not one event
EVENT = 3  # so many together are one
SILENT = "silence"
# However a lost answer shows itself, it is the same trouble.
SILENCES = frozenset(
    {
        "deadline",
        "deadline_passed",
        "outcome_deadline",
        "read_timeout",
        "write_timeout",
        "no_answer",
        "reset",
        "closed",
        "truncated",
        "protocol",
        "temporary_fault",
    }
)


@dataclass(frozen=True)
class Doubtful:
    """One open case of an unknown outcome, as far as grouping goes."""

    case: int
    system: str
    cause: str
    since: datetime
    taken: bool


@dataclass(frozen=True)
class Outage:
    """Cases that look like one event. `systems` maps each business system to its count, the most first."""

    trouble: str
    cases: frozenset[int]
    systems: dict[str, int]
    since: datetime
    last: datetime
    untaken: int

    @property
    def count(self) -> int:
        """How many cases."""
        return len(self.cases)

    @property
    def key(self) -> str:
        """What names it in an address: its trouble and when it began. Cases that are closed do not change it."""
        return f"{self.trouble}.{int(self.since.timestamp())}"

    def is_named(self, key: str) -> bool:
        """Whether the key was made for this event, now or while older cases of it were still open."""
        trouble, _dot, began = key.rpartition(".")
        if trouble != self.trouble or not (began.isascii() and began.isdigit() and len(began) <= 12):
            return False
        return (self.since - TOGETHER).timestamp() <= int(began) <= self.last.timestamp()


def trouble_of(cause: str) -> str:
    """The trouble a cause is a sign of: every way of losing an answer is `silence`, any other cause itself."""
    return SILENT if cause in SILENCES else cause


def outages(cases: Iterable[Doubtful]) -> list[Outage]:
    """The events among these cases, the largest first."""
    by_trouble: dict[str, list[Doubtful]] = {}
    for case in sorted(cases, key=lambda case: case.since):
        by_trouble.setdefault(trouble_of(case.cause), []).append(case)
    found = [
        _outage(trouble, cluster)
        for trouble, rows in by_trouble.items()
        for cluster in _clusters(rows)
        if len(cluster) >= EVENT
    ]
    return sorted(found, key=lambda outage: (-outage.count, outage.since))


def _clusters(rows: list[Doubtful]) -> list[list[Doubtful]]:
    clusters: list[list[Doubtful]] = []
    for row in rows:
        if clusters and row.since - clusters[-1][-1].since <= TOGETHER:
            clusters[-1].append(row)
        else:
            clusters.append([row])
    return clusters


def _outage(trouble: str, rows: list[Doubtful]) -> Outage:
    return Outage(
        trouble=trouble,
        cases=frozenset(row.case for row in rows),
        systems=dict(Counter(row.system for row in rows).most_common()),
        since=rows[0].since,
        last=rows[-1].since,
        untaken=sum(not row.taken for row in rows),
    )
