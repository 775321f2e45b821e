"""The report of a rehearsal as data: what was expected, observed and proven, and every gap with its owner."""

from typing import Any

from django.utils.translation import override

from rehearsals.models import Rehearsal, Step
from rehearsals.wording import CORRECTED_BY, GAPS

FORMAT = "countersign/rehearsal/1"


def report(rehearsal: Rehearsal) -> dict[str, Any]:
    """The whole report, as JSON. Instants are RFC 3339, durations in seconds; a running one has no verdict yet."""
    steps = list(rehearsal.steps.select_related("rehearsal__contract").order_by("number"))
    version = rehearsal.contract
    return {
        "format": FORMAT,
        "rehearsal": rehearsal.public_id,
        "contract": {"name": version.name, "version": version.version, "digest": rehearsal.contract_digest},
        "system": {"name": rehearsal.system, "digest": rehearsal.system_digest},
        "target": rehearsal.target or None,
        "overlay": rehearsal.overlay,
        "asked_at": rehearsal.asked_at.isoformat(),
        "begun_at": rehearsal.begun_at.isoformat() if rehearsal.begun_at else None,
        "ended_at": rehearsal.ended_at.isoformat() if rehearsal.ended_at else None,
        "verdict": rehearsal.verdict or None,
        "broke_off": rehearsal.broke_off or None,
        "counts": {
            "planned": rehearsal.planned,
            **{verdict.value: sum(step.verdict == verdict for step in steps) for verdict in Step.Verdict},
        },
        "steps": [_step(step) for step in steps],
    }


def _step(step: Step) -> dict[str, Any]:
    return {
        "number": step.number,
        "key": step.key,
        "group": step.group,
        "verdict": step.verdict,
        "expected": step.expected,
        "observed": step.observed,
        "proof": step.proof,
        "gap": gap_of(step),
        "seconds": step.took,
        "at": step.at.isoformat(),
    }


def gap_of(step: Step) -> dict[str, Any] | None:
    """What a failed step lacks, in English words, with its cause, its owner and the run that shows its correction."""
    if step.verdict != Step.Verdict.FAILED:
        return None
    rehearsal = step.rehearsal
    version = rehearsal.contract
    with override("en"):
        words = str(GAPS.get(step.key, ""))
    return {
        "name": step.gap,
        "words": words,
        "expected": step.expected.get(step.gap),
        "observed": step.observed.get(step.gap),
        "cause": step.cause,
        "owner": step.owner,
        "corrected_by": CORRECTED_BY.format(version=f"{version.name}@{version.version}", system=rehearsal.system),
    }
