"""When a pilot is doing well enough: thresholds, declared beforehand, and what may be judged from how few."""

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from web.figures.queries import Figures

ENOUGH = 20  # fewer say nothing about a rate


@dataclass(frozen=True)
class Threshold:
    """One rate and what it must reach, or must not pass."""

    name: Promise
    rate: Callable[[Figures], float | None]
    among: Callable[[Figures], int]
    limit: float
    at_least: bool = False

    def verdict(self, figures: Figures) -> str:
        """`kept`, `missed`, or `too_few` to say."""
        rate = self.rate(figures)
        if rate is None or self.among(figures) < ENOUGH:
            return "too_few"
        return "kept" if (rate >= self.limit if self.at_least else rate <= self.limit) else "missed"


THRESHOLDS = (
    Threshold(_("Proven or answered"), lambda one: one.success, lambda one: one.asked, 0.90, at_least=True),
    Threshold(_("Outcome unknown at some time"), lambda one: one.doubt, lambda one: one.handed_over, 0.02),
    Threshold(_("Arguments that did not fit"), lambda one: one.invalid, lambda one: one.attempts, 0.10),
    Threshold(_("Right that was missing"), lambda one: one.denied, lambda one: one.attempts, 0.05),
)
