"""Replies and effects as a business system would give them, for the rooms that only know."""

from typing import Any

from proposals.contracts import Check
from systems.adapters.base import Delivery, Found, Reply

OURS = "7c1d0f9e-52b4-4a7e-9a65-0d2b6a6f1c45"
ARGUMENTS = {"dossier_ref": "D-42", "expected_version": 7, "reason_code": "PIECE_MANQUANTE"}
CHECKS = (
    Check("request_ref", "present", None),
    Check("dossier_ref", "equals", "dossier_ref"),
    Check("reason_code", "equals", "reason_code"),
)
RIGHT = {"request_ref": "R-98", "dossier_ref": "D-42", "reason_code": "PIECE_MANQUANTE"}


def reply(**changes: Any) -> Reply:
    """A readable 201 that proves the effect, with changes."""
    given: dict[str, Any] = {
        "delivery": Delivery.ANSWERED,
        "fault": None,
        "status": 201,
        "content_type": "application/json",
        "body_digest": "sha256:00",
        "excerpt": "{}",
        "readable": True,
        "unreadable_because": None,
        "success": True,
        "accepted": False,
        "refused": False,
        "not_processed": False,
        "reference": OURS,
        "fields": RIGHT,
        "took": 0.01,
    }
    return Reply(**{**given, **changes})


def effect(reference: str = OURS, **changes: Any) -> Found:
    """One effect a search shows."""
    return Found(reference, {**RIGHT, **changes}, "sha256:00")
