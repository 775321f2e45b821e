"""What a notice says, and when it is said again. Pure but for the names of the states."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from standardwebhooks import Webhook as Signer

from intents.standing import STATE_TO_STATUS, VOID_CAUSES
from intents.statements import Status
from intents.states import State
from journal.kinds import Kind

# After a try that failed; then it is given up, and a person may replay it.
AGAIN_AFTER = tuple(
    timedelta(seconds=seconds) for seconds in (5, 30, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
)

_PLAINLY: Mapping[str, Status] = {
    Kind.PROPOSAL_REVISED: Status.AWAITING_APPROVAL,
    Kind.PROPOSAL_WITHDRAWN: Status.WITHDRAWN,
    Kind.PROPOSAL_EXPIRED: Status.EXPIRED,
    Kind.PROPOSAL_ANSWERED: Status.ANSWERED,
    Kind.PROPOSAL_STOPPED: Status.NOT_SENT,
    Kind.CHANGES_REQUESTED: Status.CHANGES_REQUESTED,
    Kind.AUTHORIZATION_GRANTED: Status.APPROVED,
}
# What may come of an observation stands beside it: a case, or none.
OBSERVED = (Kind.PROBE_MADE, Kind.EVIDENCE_RECORDED)
# The entries that may begin a status; the database leaves a fact for each of them (migration 0008), and for no other.
KINDS = frozenset(
    {
        *_PLAINLY,
        *OBSERVED,
        Kind.PROPOSAL_SUBMITTED,
        Kind.PROPOSAL_REFUSED,
        Kind.INTENT_VOIDED,
        Kind.ATTEMPT_MARKED,
        Kind.ATTEMPT_NOT_DELIVERED,
        Kind.ATTEMPT_ACCEPTED,
        Kind.ATTEMPT_REFUSED,
        Kind.ATTEMPT_REOPENED,
        Kind.OUTCOME_CONFIRMED,
        Kind.OUTCOME_UNKNOWN,
        Kind.OUTCOME_DIVERGED,
        Kind.OUTCOME_NOT_EXECUTED,
    }
)


def status_of(kind: str, facts: Mapping[str, Any]) -> Status | None:
    """The status that this entry of the journal began, None where it began none."""
    if "to" in facts:  # a move of the intent's machine
        state = State(facts["to"])
        return VOID_CAUSES.get(str(facts.get("cause")), Status.NOT_SENT) if state is State.VOID else _of(state)
    if kind == Kind.PROPOSAL_SUBMITTED:
        return Status.AWAITING_APPROVAL if facts["state"] == "awaiting_approval" else None
    if kind == Kind.PROPOSAL_REFUSED:  # of a new attempt: then the intent's own end says it
        return Status.REJECTED if facts.get("round", 1) == 1 else None
    return _PLAINLY.get(kind)


def _of(state: State) -> Status:
    return STATE_TO_STATUS[state]


def body_of(proposal: str, status: str, revision: int) -> bytes:
    """The thin payload: which proposal, which status, of which revision. The rest is read with a token."""
    return json.dumps({"id": proposal, "status": status, "revision": revision}, separators=(",", ":")).encode()


def headers_of(identifier: str, body: bytes, *, secret: str, now: datetime) -> tuple[tuple[str, str], ...]:
    """The headers of Standard Webhooks, signed with the secret (`whsec_…`)."""
    return (
        ("Content-Type", "application/json"),
        ("User-Agent", "Countersign"),
        ("webhook-id", identifier),
        ("webhook-timestamp", str(int(now.timestamp()))),
        ("webhook-signature", Signer(secret).sign(identifier, now, body.decode())),
    )
