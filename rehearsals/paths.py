"""The steps of a rehearsal in their order: what each expects, and whose matter it is where it turns out otherwise."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

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
# What is wrong when a step fails, as its report says it.
GAPS: Mapping[str, str] = {
    "accepted": "What was approved was not carried out once and confirmed.",
    "refused": "What must be refused was not, or something reached the business system.",
    "expired": "An approval that had lapsed still sent something.",
    "unknown": "After a lost answer the outcome could not be told by the search, or was not one effect.",
    "asked_twice": "The same request asked twice was not one proposal with one effect.",
    "reason_changed": "What was changed after approval was sent without a new decision.",
    "signature_replayed": "A signature counted for another revision than the one signed.",
    "role_removed": "It was sent although who signed holds the role no more.",
    "version_moved": "It was sent although the target had changed since it was approved.",
    "revoked": "It was sent although the signature had been taken back.",
    "admissions_stopped": "It was sent although admissions were stopped.",
    "two_workers": "Two workers at once did not make exactly one effect.",
    "same_object": "A second order on the same object was sent while the outcome of the first is unknown.",
    "late_result": "An answer that came late was not kept as evidence, or did not confirm.",
    "before_connecting": "A connection that never was made is not told as nothing sent.",
    "while_sending": "A request that broke off on its way is not told as an unknown outcome without effect.",
    "before_the_answer": "A lost answer is not told as an unknown outcome of one effect.",
    "in_the_answer": "An answer that broke off is not told as an unknown outcome of one effect.",
    "lookup": "The declared search does not find one effect by our reference, or finds others.",
    "visibility_delay": "A new effect does not show within the declared delay, or the contract waits less.",
    "echo": "The answer does not carry our reference, as declared.",
    "answer": "The answer to an order is not what is declared: definitive, or accepted.",
    "idempotency_key": "The same idempotency key twice makes more than the one effect that is declared.",
    "conditional_write": "The business system does not refuse an order that names another version, as declared.",
    "cancellation": "An order was not taken back, as declared.",
    "nothing_more": "More effects are there at the end than the steps left.",
}
CORRECTED_BY = "manage.py rehearse {version} --against {system}"
OWNERS: Mapping[str, str] = {
    "proposal": "owner",
    "policy": "owner",
    "sentence": "owner",
    "adapter": "operator",
    "interface": "operator",
}


def gap_between(expected: Mapping[str, Any], observed: Mapping[str, Any]) -> str:
    """The first name whose observed value is not an expected one; empty where all are. Uncounted effects are none."""
    for name, value in expected.items():
        seen = observed.get(name)
        if name == "effects" and seen is UNCOUNTED:
            continue
        if seen != value and not (isinstance(value, tuple) and seen in value):
            return name
    return ""
