"""The server's policy: one question of frozen facts, one answer that explains itself and carries its version.

The same question is asked at submission, at signature and just before hand-over. An approval is one more
fact in it; it never overrides a refusal. Nothing here reads a database, a clock or a network.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from approvals.rules import judge

if TYPE_CHECKING:
    from proposals.contracts import Contract

ENGINE_VERSION = "1"
ALLOWED = "allowed"


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
    for check in _CHECKS:
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


_Done = tuple[Checked, ...]


def _holds(check: str, value: Any, reason: str = "") -> Checked:
    return Checked(check, value, Verdict.HOLDS, reason=reason)


def _fails(check: str, value: Any, code: str, reason: str) -> Checked:
    return Checked(check, value, Verdict.FAILS, code, reason)


def _waits(check: str, value: Any, code: str, reason: str) -> Checked:
    return Checked(check, value, Verdict.WAITS, code, reason)


def _admissions(question: Question, _contract: Contract, _done: _Done) -> list[Checked]:
    if question.stop is None:
        return [_holds("admissions", "open")]
    reason = f"Admissions are stopped for {question.stop}."
    return [_waits("admissions", question.stop, "admissions_stopped", reason)]


def _contract_active(question: Question, contract: Contract, _done: _Done) -> list[Checked]:
    active = question.contract_state == "active" and question.contract_digest == contract.digest
    if active:
        return [_holds("contract_active", f"{contract.name}@{contract.version}")]
    reason = f"Version {contract.version} of {contract.name} is not the active one any more."
    return [_fails("contract_active", question.contract_state, "contract_version_not_active", reason)]


def _system_unchanged(question: Question, contract: Contract, _done: _Done) -> list[Checked]:
    if not question.system_approved:
        return []
    if question.system_approved == question.system_now:
        return [_holds("system_unchanged", question.system_now)]
    reason = f"The connection to {contract.execution.system} is not configured as it was when this was prepared."
    return [_fails("system_unchanged", question.system_now, "system_changed", reason)]


def _token(question: Question, _contract: Contract, _done: _Done) -> list[Checked]:
    if question.token_revoked:
        return [_fails("token", "revoked", "token_revoked", "The agent's token was revoked.")]
    if question.agent_disabled:
        return [_fails("token", "disabled", "agent_disabled", "The agent was disabled.")]
    return [_holds("token", "valid")]


def _requester_entitled(question: Question, contract: Contract, _done: _Done) -> list[Checked]:
    role = question.requester_role
    if role is not None:
        reason = f"The person this is asked for is {role}."
        return [_holds("requester_entitled", role, reason)]
    reason = f"The person this is asked for does not hold a role that may ask for {contract.name} there."
    return [_fails("requester_entitled", None, "not_permitted", reason)]


def _approvals(question: Question, contract: Contract, _done: _Done) -> list[Checked]:
    """At hand-over, the signatures are asked again: one that lapsed, was revoked, or whose signer lost the role."""
    if question.stage != Stage.HANDOVER:
        return []
    checks = []
    until = question.quorum_met_until
    live = [one for one in question.approvers if not one.revoked and question.now < one.expires_at]
    if until is None or question.now >= until or len({one.person for one in live}) < contract.policy.quorum:
        reason = "The approval is not valid any more."
        checks.append(_fails("approval_valid", _instant(until), "approval_lapsed", reason))
    else:
        checks.append(_holds("approval_valid", _instant(until)))
    for one in question.approvers:
        if one.role is None:
            reason = "A person who approved does not hold the role any more."
            checks.append(_fails("approver_entitled", one.person, "approver_not_entitled", reason))
        else:
            checks.append(_holds("approver_entitled", f"{one.person}: {one.role}"))
    return checks


def _target_in_scope(question: Question, _contract: Contract, done: _Done) -> list[Checked]:
    target = question.target
    if target.known == TargetIs.NONE:
        return []
    if _failed("requester_entitled", done):
        return [Checked("target_in_scope", None, Verdict.NOT_ASKED)]
    if target.known == TargetIs.UNREACHABLE:
        reason = "The business system did not show the target; nothing is known about it."
        return [_waits("target_in_scope", None, "target_unreachable", reason)]
    if target.known == TargetIs.NOT_AVAILABLE:
        return [_fails("target_in_scope", None, "target_not_available", "The target is not available.")]
    return [_holds("target_in_scope", target.scope, f"{target.ref} is in scope {target.scope}.")]


def _rules(question: Question, contract: Contract, done: _Done) -> list[Checked]:
    if not _may_look(question, done):
        return [Checked("rules", rule.source, Verdict.NOT_ASKED) for rule in contract.rules]
    facts = question.target.facts
    answers = judge(contract.rules, arguments=question.arguments, requester=question.requester, target=facts)
    return [
        _holds("rules", answer.source, answer.sentence["en"])
        if answer.holds
        else _fails("rules", answer.source, "rule_violated", answer.sentence["en"])
        for answer in answers
    ]


def _target_version(question: Question, contract: Contract, done: _Done) -> list[Checked]:
    announced = question.stage == Stage.SUBMISSION or contract.policy.version_change == "new_preparation"
    if question.target.known == TargetIs.NONE or question.expected_version is None or not announced:
        return []
    if not _may_look(question, done):
        return [Checked("target_version", None, Verdict.NOT_ASKED)]
    seen = question.target.version
    if seen == question.expected_version:
        return [_holds("target_version", seen)]
    expected = question.expected_version
    reason = f"{question.target.ref} is at version {seen} now; this was prepared for version {expected}."
    return [_fails("target_version", seen, "target_changed", reason)]


def _object_fence(question: Question, contract: Contract, done: _Done) -> list[Checked]:
    """An outcome in doubt on the object: handing over waits, or refuses, as asking does, where the contract says so."""
    if question.target.known == TargetIs.NONE or contract.effect == "none":
        return []
    if not _may_look(question, done):
        return [Checked("object_fence", None, Verdict.NOT_ASKED)]
    if question.fence is None:
        return [_holds("object_fence", None)]
    reason = f"The outcome of {question.fence} on {question.target.ref} is not established yet."
    if contract.execution.on_fence == "refuse" and question.stage != Stage.SIGNATURE:
        return [_fails("object_fence", question.fence, "object_fenced", reason)]
    if question.stage == Stage.HANDOVER:
        return [_waits("object_fence", question.fence, "object_fenced", reason)]
    return [_holds("object_fence", question.fence, f"It will wait: {reason[0].lower()}{reason[1:]}")]


_CHECKS: tuple[Callable[[Question, Contract, _Done], list[Checked]], ...] = (
    _admissions,
    _contract_active,
    _system_unchanged,
    _token,
    _requester_entitled,
    _approvals,
    _target_in_scope,
    _rules,
    _target_version,
    _object_fence,
)


def _failed(check: str, done: _Done) -> bool:
    return any(one.check == check and one.verdict == Verdict.FAILS for one in done)


def _may_look(question: Question, done: _Done) -> bool:
    """Whether anything about the target may be judged: the right holds, and there is no target or it was seen."""
    seen = question.target.known in (TargetIs.NONE, TargetIs.SEEN)
    return seen and not _failed("requester_entitled", done)


def _instant(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
