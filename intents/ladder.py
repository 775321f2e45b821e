"""How far a proof reaches: handed over → accepted → observed → verified, from what was sent and seen. Pure.

Each rung names its own source: that the business system says so in its answer is one thing, that it was read back
another. Only *verified* is done.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from intents.evidence import Verdict

SAYS = frozenset({"answer", "callback"})
CLAIMS = frozenset({"accepted", "incomplete_answer", "claim"})
SHOWS = frozenset({Verdict.PROVES, Verdict.CONTRADICTS})


class Rung(StrEnum):
    """One step of the proof."""

    HANDED_OVER = "handed_over"
    ACCEPTED = "accepted"
    OBSERVED = "observed"
    VERIFIED = "verified"


class Sent(Protocol):
    """One attempt."""

    @property
    def result(self) -> str: ...
    @property
    def marked_at(self) -> datetime: ...


class Observed(Protocol):
    """One observation."""

    @property
    def source(self) -> str: ...
    @property
    def verdict(self) -> str: ...
    @property
    def because(self) -> str: ...
    @property
    def at(self) -> datetime: ...
    @property
    def observed_at(self) -> datetime | None: ...
    @property
    def digest(self) -> str: ...
    @property
    def rules(self) -> Any: ...


@dataclass(frozen=True)
class Step:
    """One rung: when it was reached and by which source (empty for our own hand-over); `at` is None while it is not.

    `observed_at` is when it was so, by the source; `contradicted` that what was shown is not what was approved.
    """

    rung: Rung
    at: datetime | None = None
    source: str = ""
    observed_at: datetime | None = None
    contradicted: bool = False


def climb(attempts: Iterable[Sent], evidence: Iterable[Observed]) -> tuple[Step, ...]:
    """The four rungs in their order, each with the first observation that reached it."""
    sent = min((one.marked_at for one in attempts if one.result != "not_delivered"), default=None)
    seen = sorted(evidence, key=lambda one: one.at)
    said = next((one for one in seen if one.source in SAYS and _says(one)), None)
    shown = next((one for one in seen if one.verdict in SHOWS), None)
    proven = next((one for one in seen if one.verdict == Verdict.PROVES), None)
    return (
        Step(Rung.HANDED_OVER, sent),
        _step(Rung.ACCEPTED, said),
        _step(Rung.OBSERVED, shown),
        _step(Rung.VERIFIED, proven),
    )


def _says(one: Observed) -> bool:
    return one.verdict in SHOWS or one.because in CLAIMS


def _step(rung: Rung, one: Observed | None) -> Step:
    if one is None:
        return Step(rung)
    return Step(rung, one.at, one.source, one.observed_at, one.verdict == Verdict.CONTRADICTS)


def highest(steps: Iterable[Step]) -> Rung | None:
    """The highest rung that was reached; None where nothing was handed over."""
    reached = [step.rung for step in steps if step.at is not None]
    return reached[-1] if reached else None
