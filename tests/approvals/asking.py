"""A question that the policy answers with yes, to be changed in one place; and the contract it is asked about."""

from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from approvals.policy import Approver, Question, Stage, Target, TargetIs
from proposals.contracts import Contract, parse_contract

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
CONTRACTS = Path(__file__).resolve().parents[2] / "sandbox" / "contracts"


def contract(file: str = "ouvrir_revue_dossier-2", **changes: Any) -> Contract:
    """A contract of the demo; `execution__on_fence="refuse"` changes one member."""
    return _contract(file, tuple(sorted(changes.items())))


@cache
def _contract(file: str, changes: tuple[tuple[str, Any], ...]) -> Contract:
    document = yaml.safe_load((CONTRACTS / f"{file}.yaml").read_text())
    for path, value in changes:
        *parents, last = path.split("__")
        place = document
        for parent in parents:
            place = place[parent]
        place[last] = value
    return parse_contract(yaml.safe_dump(document, allow_unicode=True, sort_keys=False), file)[1]


def seen(**changes: Any) -> Target:
    """D-42, active, at version 7, in scope A."""
    said: dict[str, Any] = {"state": "active", "version": "7", "scope": "A", **changes}
    facts = {"ref": "D-42", "label": "", "attributes": {}, **said}
    return Target(TargetIs.SEEN, "D-42", "", said["state"], said["version"], said["scope"], facts)


def signed(person: str = "approver", **changes: Any) -> Approver:
    """A live signature of an entitled person."""
    return Approver(**{"person": person, "role": "review_lead", "revoked": False, "expires_at": later(30), **changes})


def later(minutes: float) -> datetime:
    """An instant after the question."""
    return NOW + timedelta(minutes=minutes)


def question(of: Contract | None = None, **changes: Any) -> Question:
    """A question about D-42 that holds in every respect."""
    about = of or contract()
    facts: dict[str, Any] = {
        "stage": Stage.SUBMISSION,
        "now": NOW,
        "stop": None,
        "contract_state": "active",
        "contract_digest": about.digest,
        "system_approved": "",
        "system_now": "sha256:system",
        "token_revoked": False,
        "agent_disabled": False,
        "requester": {"name": "requester", "roles": ["case_manager"], "scope": "A"},
        "requester_role": "case_manager",
        "scope": "A",
        "arguments": {"dossier_ref": "D-42", "expected_version": 7, "reason_code": "DONNEE_A_VERIFIER"},
        "target": seen(),
        "expected_version": "7",
    }
    return Question(**{**facts, **changes})


def at_handover(of: Contract | None = None, **changes: Any) -> Question:
    """The same just before hand-over, with one live signature."""
    signatures = {"approvers": (signed(),), "quorum_met_until": later(30), "system_approved": "sha256:system"}
    return question(of, **{"stage": Stage.HANDOVER, **signatures, **changes})
