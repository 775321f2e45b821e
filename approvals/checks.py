"""The checks of the policy, in their order. A target is judged only once the requester's right is established."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from approvals.questions import Checked, Question, Stage, TargetIs, Verdict
from approvals.rules import judge

if TYPE_CHECKING:
    from proposals.contracts import Contract

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


def _failed(check: str, done: _Done) -> bool:
    return any(one.check == check and one.verdict == Verdict.FAILS for one in done)


def _may_look(question: Question, done: _Done) -> bool:
    """Whether anything about the target may be judged: the right holds, and there is no target or it was seen."""
    seen = question.target.known in (TargetIs.NONE, TargetIs.SEEN)
    return seen and not _failed("requester_entitled", done)


def _instant(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


CHECKS: tuple[Callable[[Question, Contract, _Done], list[Checked]], ...] = (
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
