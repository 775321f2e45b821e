"""The closed vocabulary of the journal: `subject.verb`, one member per fact that can be told."""

from enum import StrEnum


class Kind(StrEnum):
    """Every fact the journal can hold. Members are never renamed or removed: old entries keep their word."""

    # proposals
    PROPOSAL_SUBMITTED = "proposal.submitted"
    PROPOSAL_REVISED = "proposal.revised"
    PROPOSAL_WITHDRAWN = "proposal.withdrawn"
    PROPOSAL_EXPIRED = "proposal.expired"
    PROPOSAL_ANSWERED = "proposal.answered"
    PROPOSAL_STOPPED = "proposal.stopped"
    SUBMISSION_REFUSED = "submission.refused"
    SUBMISSION_REPLAYED = "submission.replayed"
    # decisions of the server and of people
    DECISION_TAKEN = "decision.taken"
    SIGNATURE_GIVEN = "signature.given"
    SIGNATURE_REFUSED = "signature.refused"
    SIGNATURE_REVOKED = "signature.revoked"
    PROPOSAL_REFUSED = "proposal.refused"
    CHANGES_REQUESTED = "changes.requested"
    COMMENT_MADE = "comment.made"
    CASE_CLAIMED = "case.claimed"
    AUTHORIZATION_GRANTED = "authorization.granted"
    AUTHORIZATION_VOIDED = "authorization.voided"
    # intents
    INTENT_OPENED = "intent.opened"
    INTENT_WAITING = "intent.waiting"
    INTENT_VOIDED = "intent.voided"
    ATTEMPT_MARKED = "attempt.marked"
    ATTEMPT_NOT_DELIVERED = "attempt.not_delivered"
    ATTEMPT_ACCEPTED = "attempt.accepted"
    ATTEMPT_REFUSED = "attempt.refused"
    OUTCOME_CONFIRMED = "outcome.confirmed"
    OUTCOME_UNKNOWN = "outcome.unknown"
    OUTCOME_DIVERGED = "outcome.diverged"
    OUTCOME_NOT_EXECUTED = "outcome.not_executed"
    EVIDENCE_RECORDED = "evidence.recorded"
    PROBE_MADE = "probe.made"
    CANCELLATION_REQUESTED = "cancellation.requested"
    # reconciliation
    RECONCILIATION_TAKEN = "reconciliation.taken"
    RECONCILIATION_HANDED_OVER = "reconciliation.handed_over"
    RECONCILIATION_CONCLUDED = "reconciliation.concluded"
    RECONCILIATION_SECONDED = "reconciliation.seconded"
    RECONCILIATION_ESCALATED = "reconciliation.escalated"
    ATTEMPT_REOPENED = "attempt.reopened"
    CASE_CLOSED = "case.closed"
    # contracts, admissions, people
    CONTRACT_PUBLISHED = "contract.published"
    CONTRACT_ACTIVATED = "contract.activated"
    CONTRACT_RETIRED = "contract.retired"
    ADMISSIONS_STOPPED = "admissions.stopped"
    ADMISSIONS_RESUMED = "admissions.resumed"
    CIRCUIT_OPENED = "circuit.opened"
    CIRCUIT_CLOSED = "circuit.closed"
    HANDOVER_PAUSED = "handover.paused"
    HANDOVER_RESUMED = "handover.resumed"
    ROLE_GRANTED = "role.granted"
    ROLE_REMOVED = "role.removed"
    TOKEN_MINTED = "token.minted"  # noqa: S105  a word of the vocabulary, not a secret
    TOKEN_REVOKED = "token.revoked"  # noqa: S105  likewise
    AGENT_DISABLED = "agent.disabled"
    PERSONAL_ERASED = "personal.erased"
