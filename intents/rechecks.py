"""The two-ended ledger of one look before a hand-over: value when approved → value now → verdict. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from approvals.policy import Checked, Decision, Verdict

SEND, VOID, WAIT = "send", "void", "wait"
FRESH = timedelta(seconds=10)
FREE = "free"
WAITING = {
    "admissions_stopped": "admissions",
    "object_fenced": "fence",
    "target_unreachable": "target_unreachable",
}


@dataclass(frozen=True)
class Row:
    """One line of the ledger; `verdict` is a word of approvals.policy.Verdict."""

    check: str
    approved: Any
    now: Any
    verdict: str
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        """The line as it is stored and told."""
        return {
            "check": self.check,
            "approved": self.approved,
            "now": self.now,
            "verdict": self.verdict,
            "reason": self.reason,
        }


@dataclass(frozen=True)
class Approved:
    """What held when people signed. `approvers` maps a person's name to the role that entitled them."""

    contract: str
    system_digest: str
    requester: str
    expires_at: str | None
    approvers: Mapping[str, str]
    scope: str | None
    state: str | None
    version: str | None


@dataclass(frozen=True)
class Ruling:
    """What one look leads to: `outcome` send, void or wait; `cause` of a void; what it waits for, and `on`."""

    outcome: str
    cause: str = ""
    waiting: str = ""
    on: str = ""


def ledger(approved: Approved, checks: Iterable[Checked], *, state_now: str | None) -> tuple[Row, ...]:
    """Every check of the policy beside the value that held when people signed."""
    checks = tuple(checks)
    rows = [Row(one.check, _then(approved, one), one.value, one.verdict, one.reason) for one in checks]
    if approved.state is not None:
        rows.append(Row("target_state", approved.state, state_now, _of_state(checks)))
    return tuple(rows)


def _then(approved: Approved, checked: Checked) -> Any:
    if checked.check == "approver_entitled":
        person = str(checked.value).partition(": ")[0]
        return f"{person}: {approved.approvers.get(person, '')}"
    if checked.check == "rules":
        return "holds"
    values = {
        "admissions": "open",
        "contract_active": approved.contract,
        "system_unchanged": approved.system_digest,
        "token": "valid",
        "requester_entitled": approved.requester,
        "approval_valid": approved.expires_at,
        "target_in_scope": approved.scope,
        "target_version": approved.version,
    }
    return values.get(checked.check)


def _of_state(checks: tuple[Checked, ...]) -> str:
    """The state is judged by the contract's rules; without any, by nothing."""
    verdicts = {one.verdict for one in checks if one.check in ("rules", "target_in_scope")}
    for verdict in (Verdict.FAILS, Verdict.WAITS, Verdict.NOT_ASKED):
        if verdict in verdicts:
            return verdict
    return Verdict.HOLDS


def rule(
    decision: Decision, *, now: datetime, expires_at: datetime, looked_at: datetime, budget_spent: bool = False
) -> Ruling:
    """Say what follows from one look. A lapsed approval ends it whatever else stands; doubt about the target waits.

    `looked_at` is when the observation began; older than ten seconds, it decides nothing.
    """
    if now >= expires_at:
        return Ruling(VOID, "expired")
    if decision.allowed:
        if budget_spent:
            return Ruling(VOID, "delivery_budget")
        return Ruling(SEND) if now - looked_at <= FRESH else Ruling(WAIT, waiting="observation_stale")
    if not decision.waits:
        return Ruling(VOID, decision.code)
    waits = next(one for one in decision.checks if one.verdict == Verdict.WAITS)
    return Ruling(WAIT, waiting=WAITING.get(waits.code, waits.code), on=str(waits.value or "")[:64])
