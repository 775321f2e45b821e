"""What the policy is asked, as frozen values: who, what, where, in which state, now — and what a check answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class Stage(StrEnum):
    """When the question is asked."""

    SUBMISSION = "submission"
    SIGNATURE = "signature"
    HANDOVER = "handover"


class Verdict(StrEnum):
    """What one check answered. A check that waits may hold later, without anybody changing the proposal."""

    HOLDS = "holds"
    FAILS = "fails"
    WAITS = "waits"
    NOT_ASKED = "not_asked"


class TargetIs(StrEnum):
    """What is known of the target: a contract may have none, and a system may not answer."""

    NONE = "none"
    SEEN = "seen"
    NOT_AVAILABLE = "not_available"  # missing, or outside the requester's scope: nobody is told which
    UNREACHABLE = "unreachable"


@dataclass(frozen=True)
class Target:
    """The target as its system showed it. `version` is canonical JSON text; `facts` is what rules read."""

    known: TargetIs
    ref: str | None = None
    label: str = ""
    state: str = ""
    version: str | None = None
    scope: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Approver:
    """One signature that counts towards the authorization, as it stands now. `role` is None once it was lost."""

    person: str
    role: str | None
    expires_at: datetime
    revoked: bool


@dataclass(frozen=True)
class Question:
    """Everything the policy looks at, gathered beforehand.

    `stop` says what is stopped, None when admissions are open. `scope` is where the requester's right must hold;
    `expected_version` the canonical JSON text that was approved or announced; `fence` the public id of the intent
    that holds the object. `system_approved` is empty at submission: there is nothing yet to compare with.
    """

    stage: Stage
    now: datetime
    stop: str | None
    contract_state: str
    contract_digest: str
    system_approved: str
    system_now: str
    token_revoked: bool
    agent_disabled: bool
    requester: Mapping[str, Any]
    requester_role: str | None
    scope: str
    arguments: Mapping[str, Any]
    target: Target
    expected_version: str | None = None
    fence: str | None = None
    approvers: tuple[Approver, ...] = ()
    quorum_met_until: datetime | None = None


@dataclass(frozen=True)
class Checked:
    """One check, the value it looked at, and its verdict; `code` and `reason` say what is wrong, if anything."""

    check: str
    value: Any
    verdict: Verdict
    code: str = ""
    reason: str = ""
