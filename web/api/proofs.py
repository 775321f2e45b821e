"""How far the proof of an order reaches, for an agent: the four rungs, and every observation behind them."""

from typing import Any

from intents.ladder import Rung, Step
from intents.models import Evidence
from intents.moving import instant
from intents.queries import ladder
from intents.standing import Standing
from proposals.models import Revision

AT_MOST = 20  # the latest observations


def proof_of(revision: Revision, stands: Standing) -> dict[str, Any] | None:
    """None until something was handed over. A rung that was not reached is null; observations are oldest first."""
    if stands.attempt is None:
        return None
    intent = revision.intent
    rungs: dict[str, Any] = {step.rung.value: _rung(step) for step in ladder(intent)}
    latest = list(intent.evidence.order_by("-pk")[:AT_MOST])
    return {**rungs, "observations": [_observation(one) for one in reversed(latest)]}


def _rung(step: Step) -> dict[str, Any] | None:
    if step.at is None:
        return None
    told: dict[str, Any] = {"at": instant(step.at)}
    if step.rung is not Rung.HANDED_OVER:
        told |= {"source": step.source, "observed_at": instant(step.observed_at), "contradicted": step.contradicted}
    return told


def _observation(one: Evidence) -> dict[str, Any]:
    return {
        "source": one.source,
        "attempt": one.attempt,
        "at": instant(one.at),
        "observed_at": instant(one.observed_at),
        "verdict": one.verdict,
        "because": one.because or None,
        "late": one.late,
        "digest": one.digest or None,
        "rules": [{"field": rule["field"], "verdict": rule["verdict"]} for rule in one.rules],
    }
