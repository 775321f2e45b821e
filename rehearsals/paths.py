"""The steps of a rehearsal in their order: what each expects, and whose matter it is where it turns out otherwise."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from proposals.contracts import Contract
from rehearsals.wires import Cut

Cause = Literal["proposal", "policy", "adapter", "interface", "sentence"]
UNCOUNTED = None  # effects that nobody can count: no search is declared, and there is no ledger to read


@dataclass(frozen=True)
class Path:
    """One step. `expected` names what is compared; a tuple means any of its values."""

    key: str
    group: Literal["paths", "boundaries", "wires", "capabilities", "end"]
    expected: Mapping[str, Any]
    cause: Cause


ONE = {"sent": 1, "effects": 1}
NONE = {"sent": 0, "effects": 0}
CONFIRMED = {"status": "confirmed", **ONE}

PATHS: tuple[Path, ...] = (
    Path("accepted", "paths", {**CONFIRMED, "reference_told": True}, "interface"),
    Path("refused", "paths", {"answer": "target_not_available", "without_role": "not_permitted", **NONE}, "policy"),
    Path("expired", "paths", {"status": "expired", **NONE}, "policy"),
    Path("unknown", "paths", {"before": "outcome_unknown", **CONFIRMED}, "interface"),
    Path("asked_twice", "boundaries", {"proposals": 1, **CONFIRMED}, "proposal"),
    Path("reason_changed", "boundaries", {"status": "awaiting_approval", **NONE}, "policy"),
    Path("signature_replayed", "boundaries", {"answer": "stale", "status": "awaiting_approval", **NONE}, "policy"),
    Path("role_removed", "boundaries", {"status": "not_sent", **NONE}, "policy"),
    Path("version_moved", "boundaries", {"status": "not_sent", **NONE}, "policy"),
    Path("revoked", "boundaries", {"status": "revoked", **NONE}, "policy"),
    Path("admissions_stopped", "boundaries", {"status": "approved", "waiting": "admissions", **NONE}, "policy"),
    Path("two_workers", "boundaries", CONFIRMED, "adapter"),
    Path("same_object", "boundaries", {"second": ("fence", "object_fenced", "rule_violated"), **ONE}, "policy"),
    Path("late_result", "boundaries", {"before": "outcome_unknown", "late_evidence": True, **CONFIRMED}, "adapter"),
    Path(Cut.BEFORE_CONNECTING, "wires", {"before": ("approved", "not_sent"), **NONE}, "adapter"),
    Path(Cut.WHILE_SENDING, "wires", {"before": "outcome_unknown", "sent": 1, "effects": 0}, "adapter"),
    Path(Cut.BEFORE_THE_ANSWER, "wires", {"before": "outcome_unknown", **ONE}, "adapter"),
    Path(Cut.IN_THE_ANSWER, "wires", {"before": "outcome_unknown", **ONE}, "adapter"),
    Path("lookup", "capabilities", {"found": 1, "found_of_another": 0}, "interface"),
    Path("visibility_delay", "capabilities", {"within": True, "contract_waits": True}, "interface"),
    Path("echo", "capabilities", {"echoed": True}, "interface"),
    Path("answer", "capabilities", {"as_declared": True}, "interface"),
    Path("idempotency_key", "capabilities", {"effects": 1}, "interface"),
    Path("conditional_write", "capabilities", {"status": "refused_by_target", "effects": 0}, "interface"),
    Path("cancellation", "capabilities", {"taken_back": True}, "interface"),
    Path("nothing_more", "end", {"more_than_expected": 0}, "interface"),
)
READS: tuple[Path, ...] = (
    Path("answered", "paths", {"status": "answered", "sent": 0}, "interface"),
    Path("not_permitted", "paths", {"without_role": "not_permitted", "sent": 0}, "policy"),
)
OWNERS: Mapping[str, str] = {
    "proposal": "owner",
    "policy": "owner",
    "sentence": "owner",
    "adapter": "operator",
    "interface": "operator",
}


def paths_of(contract: Contract) -> tuple[Path, ...]:
    """The steps of this contract: one without effect is only asked."""
    return READS if contract.effect == "none" else PATHS


def gap_between(expected: Mapping[str, Any], observed: Mapping[str, Any]) -> str:
    """The first name whose observed value is not an expected one; empty where all are. Uncounted effects are none."""
    for name, value in expected.items():
        seen = observed.get(name)
        if name == "effects" and seen is UNCOUNTED:
            continue
        if seen != value and not (isinstance(value, tuple) and seen in value):
            return name
    return ""
