"""The server's policy: one question of frozen facts, one answer that explains itself and carries its version.

The same question is asked at submission, at signature and just before hand-over. An approval is one more
fact in it; it never overrides a refusal. Nothing here reads a database, a clock or a network.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from approvals.checks import CHECKS
from approvals.questions import Approver, Checked, Question, Stage, Target, TargetIs, Verdict

if TYPE_CHECKING:
    from proposals.contracts import Contract

__all__ = [
    "ALLOWED",
    "ENGINE_VERSION",
    "Approver",
    "Checked",
    "Decision",
    "Question",
    "Stage",
    "Target",
    "TargetIs",
    "Verdict",
    "decide",
    "policy_version",
]

ENGINE_VERSION = "1"
ALLOWED = "allowed"


@dataclass(frozen=True)
class Decision:
    """The policy's answer. When it is not `allowed`, `waits` says that only things which may pass stand against it."""

    allowed: bool
    waits: bool
    code: str
    reasons: tuple[str, ...]
    policy_version: str
    checks: tuple[Checked, ...]

    @property
    def told(self) -> dict[str, Any]:
        """What is stored, shown to the agent and journalled: code, policy version, reasons."""
        return {"code": self.code, "policy_version": self.policy_version, "reasons": list(self.reasons)}

    def of(self, check: str) -> Checked | None:
        """The named check, if it was among those asked."""
        return next((checked for checked in self.checks if checked.check == check), None)


def policy_version(contract: Contract) -> str:
    """`<12 digits of the contract's digest>+<engine version>`: the two things an answer depends on."""
    return f"{contract.digest[7:19]}+{ENGINE_VERSION}"


def decide(question: Question, contract: Contract) -> Decision:
    """Answer the question. A target is looked at only once the requester's right is established."""
    checks: list[Checked] = []
    for check in CHECKS:
        checks.extend(check(question, contract, tuple(checks)))
    against = [one for one in checks if one.verdict in (Verdict.FAILS, Verdict.WAITS)]
    fatal = [one for one in against if one.verdict == Verdict.FAILS]
    deciding = fatal or against
    return Decision(
        allowed=not against,
        waits=bool(against) and not fatal,
        code=deciding[0].code if deciding else ALLOWED,
        reasons=tuple(one.reason for one in deciding or checks if one.reason),
        policy_version=policy_version(contract),
        checks=tuple(checks),
    )
