"""What one revision stands at, computed by the database's clock whether or not a sweep has run."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import F, Q

from approvals.models import Act, Authorization
from intents.circumstances import Circumstances
from intents.models import Case, Intent
from intents.moving import instant
from intents.statements import ANEW, SETTLED, Status, next_step, statement
from intents.states import State
from intents.sweeping import given_up_cause
from journal.clock import now as database_now
from proposals.contracts import Contract, contract_of, in_language
from proposals.models import Proposal, Revision

POLL_MS = 2000
STATE_TO_STATUS = {
    State.READY: Status.APPROVED,
    State.SENDING: Status.IN_PROGRESS,
    State.ACCEPTED: Status.ACCEPTED_BY_TARGET,
    State.UNKNOWN: Status.OUTCOME_UNKNOWN,
    State.REOPENED: Status.AWAITING_APPROVAL,
    State.CONFIRMED: Status.CONFIRMED,
    State.REFUSED: Status.REFUSED_BY_TARGET,
    State.DIVERGED: Status.DIVERGED,
    State.NOT_EXECUTED: Status.NOT_EXECUTED,
    State.VOID: Status.NOT_SENT,
}
VOID_CAUSES = {
    "expired": Status.EXPIRED,
    "revoked": Status.REVOKED,
    "withdrawn": Status.WITHDRAWN,
    "superseded": Status.SUPERSEDED,
}
PROPOSAL_STATUS = {
    Proposal.State.AWAITING_APPROVAL: Status.AWAITING_APPROVAL,
    Proposal.State.CHANGES_REQUESTED: Status.CHANGES_REQUESTED,
    Proposal.State.REJECTED: Status.REJECTED,
    Proposal.State.WITHDRAWN: Status.WITHDRAWN,
    Proposal.State.EXPIRED: Status.EXPIRED,
    Proposal.State.NOT_SENT: Status.NOT_SENT,
    Proposal.State.ANSWERED: Status.ANSWERED,
    Proposal.State.AUTHORIZED: Status.APPROVED,
}
WITHOUT_EFFECT = (State.NOT_EXECUTED, State.REFUSED, State.VOID)


@dataclass(frozen=True)
class Standing:
    """What may be read of one revision. `waiting` is `{"for", "on"}`; `responsible` is `{"role", "person"}`.

    `reference` is what the business system is told; `evidence` holds fields of the output contract; `references`
    the identifiers in it; instants are aware; `cause` is one word for why it ended, empty while it goes on.
    """

    status: str
    statement: str
    next_step: str
    retryable: bool
    revision: int
    intent: str | None = None
    reference: str | None = None
    attempt: int | None = None
    waiting: dict[str, str] | None = None
    evidence: dict[str, Any] | None = None
    references: dict[str, Any] = field(default_factory=dict)
    responsible: dict[str, str | None] | None = None
    cause: str = ""
    review_expires_at: datetime | None = None
    approval_expires_at: datetime | None = None
    changed_at: datetime | None = None
    poll_interval_ms: int = POLL_MS
    settled: bool = False

    def as_json(self) -> dict[str, Any]:
        """The members of the agents' resource that this knows."""
        names = ("status", "statement", "next_step", "retryable", "revision", "intent", "reference", "attempt")
        told = {name: getattr(self, name) for name in (*names, "waiting", "evidence", "references", "responsible")}
        moments = {name: instant(getattr(self, name)) for name in ("review_expires_at", "approval_expires_at")}
        return {**told, **moments, "poll_interval_ms": self.poll_interval_ms}


@dataclass(frozen=True)
class _Rows:
    proposal: Proposal
    revision: Revision
    intent: Intent | None
    authorization: Authorization | None
    case: Case | None


def standing(
    proposal: Proposal, *, language: str = "en", now: datetime | None = None, revision: Revision | None = None
) -> Standing:
    """What the current revision (or `revision`) of a proposal stands at.

    A read that meets a passed instant takes the proposal's row for share, reads again, then answers: a mark or a
    signature under way is seen either before it or after it.
    """
    rows = _read(proposal, revision)
    now = now or database_now()
    if not _passed(rows, now):
        return _told(rows, language=language, now=now)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM proposals_proposal WHERE id = %s FOR SHARE", [proposal.pk])
        proposal.refresh_from_db(fields=["state", "cause", "current_revision", "review_expires_at", "changed_at"])
        return _told(_read(proposal, revision), language=language, now=database_now())


def standing_as_written(revision: Revision, *, language: str = "en") -> Standing:
    """What a revision stands at in the instant it was written: nobody has acted on it yet, and nothing is read."""
    rows = _Rows(revision.proposal, revision, None, None, None)
    return _told(rows, language=language, now=revision.created_at)


def _read(proposal: Proposal, revision: Revision | None) -> _Rows:
    if revision is None:
        rows = Revision.objects.select_related("contract")
        revision = rows.get(proposal=proposal, number=proposal.current_revision)
    intent = Intent.objects.select_related("authorization").filter(revision=revision).first()
    authorization = Authorization.objects.filter(revision=revision, voided_at__isnull=True).first()
    return _Rows(proposal, revision, intent, authorization, _case_of(intent) if intent else None)


def _case_of(intent: Intent) -> Case | None:
    """The open case, else the last one that an effect which differs had: what was found does not go away with it."""
    rows = Case.objects.select_related("owner").filter(intent=intent)
    latest = rows.filter(Q(closed_at__isnull=True) | Q(kind=Case.Kind.DIVERGED))
    return latest.order_by(F("closed_at").desc(nulls_first=True), "-pk").first()


def _passed(rows: _Rows, now: datetime) -> bool:
    """Whether some instant that decides the status has passed without having been written down."""
    intent = rows.intent
    if intent is None or intent.state == State.REOPENED:
        waits = rows.proposal.state in (Proposal.State.AWAITING_APPROVAL, Proposal.State.CHANGES_REQUESTED)
        review = (waits or intent is not None) and now >= rows.proposal.review_expires_at
        return review or bool(rows.authorization and now >= rows.authorization.expires_at)
    if intent.state == State.READY:
        return now >= intent.authorization.expires_at
    in_time = intent.deadline is None or now < intent.deadline
    return intent.state in (State.SENDING, State.ACCEPTED) and not in_time


def _status(rows: _Rows, now: datetime) -> tuple[Status, str]:
    """The status and its cause."""
    proposal, intent = rows.proposal, rows.intent
    if rows.revision.number != proposal.current_revision:
        return Status.SUPERSEDED, "superseded"
    if proposal.state == Proposal.State.AUTHORIZED and intent is not None:
        return _of_intent(rows, intent, now)
    lapsed = rows.authorization is not None and now >= rows.authorization.expires_at
    if proposal.state == Proposal.State.AUTHORIZED:
        return (Status.EXPIRED, "expired") if lapsed else (Status.APPROVED, "")
    waits = proposal.state in (Proposal.State.AWAITING_APPROVAL, Proposal.State.CHANGES_REQUESTED)
    if waits and now >= proposal.review_expires_at:
        return Status.EXPIRED, "review_expired"
    return PROPOSAL_STATUS[Proposal.State(proposal.state)], proposal.cause


def _of_intent(rows: _Rows, intent: Intent, now: datetime) -> tuple[Status, str]:
    state = State(intent.state)
    if state in WITHOUT_EFFECT and rows.case and rows.case.kind == Case.Kind.DIVERGED:
        return Status.DIVERGED, rows.case.cause
    if state is State.VOID:
        return VOID_CAUSES.get(intent.cause, Status.NOT_SENT), intent.cause
    if state is State.REOPENED:
        return _of_reopened(rows, intent, now)
    if state is State.READY and now >= intent.authorization.expires_at:
        return (Status.NOT_EXECUTED if intent.reopened_at else Status.EXPIRED), "expired"
    if state in (State.SENDING, State.ACCEPTED) and intent.deadline and now >= intent.deadline:
        return Status.OUTCOME_UNKNOWN, "deadline" if state is State.SENDING else "outcome_deadline"
    return STATE_TO_STATUS[state], intent.cause


def _of_reopened(rows: _Rows, intent: Intent, now: datetime) -> tuple[Status, str]:
    if rows.authorization:
        lapsed = now >= rows.authorization.expires_at
        return (Status.NOT_EXECUTED, "expired") if lapsed else (Status.APPROVED, "")
    cause = given_up_cause(intent, rows.proposal, now=now)
    return (Status.NOT_EXECUTED, cause) if cause else (Status.AWAITING_APPROVAL, "")


def _told(rows: _Rows, *, language: str, now: datetime) -> Standing:
    status, cause = _status(rows, now)
    contract, intent = contract_of(rows.revision.contract), rows.intent
    evidence = _evidence(rows, status, contract)
    waiting = _waiting(intent) if status is Status.APPROVED else None
    responsible = _responsible(rows, status, contract)
    about = _about(rows, status, cause, waiting=waiting, responsible=responsible)
    return Standing(
        status=status,
        statement=statement(
            status,
            language,
            own=in_language(contract.statements.get("confirmed"), language),
            fields=evidence or {},
            about=about,
        ),
        next_step=next_step(status, language, closed=bool(about.closed)),
        retryable=status in ANEW,
        revision=rows.revision.number,
        intent=intent.public_id if intent else None,
        reference=str(intent.reference) if intent else None,
        attempt=intent.attempt or None if intent else None,
        waiting=waiting,
        evidence=evidence,
        references=_references(contract, evidence),
        responsible=responsible,
        cause=cause,
        review_expires_at=rows.proposal.review_expires_at,
        approval_expires_at=_approval_expires_at(rows, status),
        changed_at=max(rows.proposal.changed_at, intent.changed_at) if intent else rows.proposal.changed_at,
        settled=status in SETTLED,
    )


def _about(
    rows: _Rows,
    status: Status,
    cause: str,
    *,
    waiting: dict[str, str] | None,
    responsible: dict[str, str | None] | None,
) -> Circumstances:
    intent = rows.intent
    return Circumstances(
        again=bool(intent and intent.reopened_at),
        waiting=waiting["for"] if waiting else "",
        by_person=intent is not None and (intent.confirmed_by == "person" or intent.cause == "did_not_happen"),
        cause=cause,
        role=(responsible or {}).get("role") or "",
        taken=bool(responsible and responsible["person"]),
        closed=rows.case.closed_how if rows.case and status is Status.DIVERGED else "",
        cancellation=cancellation_of(intent) if intent is not None and intent.attempt else "",
    )


def cancellation_of(intent: Intent) -> str:
    """What became of the last request to take it back, in one word; empty where nobody asked."""
    asked = Act.objects.filter(revision=intent.revision_id, kind=Act.Kind.CANCELLATION_REQUEST).order_by("pk")
    results = list(asked.values_list("cancellation__result", flat=True))
    if not results:
        return ""
    return next((result for result in reversed(results) if result), "not_offered")


def _waiting(intent: Intent | None) -> dict[str, str] | None:
    if intent is None or not intent.waiting:
        return None
    return {"for": intent.waiting, "on": intent.waiting_on}


def _evidence(rows: _Rows, status: Status, contract: Contract) -> dict[str, Any] | None:
    if status is Status.ANSWERED:
        return rows.proposal.answer
    if rows.intent is None or status not in (Status.CONFIRMED, Status.DIVERGED):
        return None
    if status is Status.CONFIRMED:
        return rows.intent.output
    shown = rows.intent.evidence.filter(verdict__in=["contradicts", "proves"]).order_by("-pk").first()
    fields = shown.fields if shown else {}
    return {name: fields[name] for name in contract.output_fields if name in fields} or None


def _references(contract: Contract, evidence: dict[str, Any] | None) -> dict[str, Any]:
    named = [check.field for check in contract.effect_to_verify if check.rule == "present"]
    return {name: evidence[name] for name in named if name in evidence} if evidence else {}


def _responsible(rows: _Rows, status: Status, contract: Contract) -> dict[str, str | None] | None:
    if status not in (Status.OUTCOME_UNKNOWN, Status.DIVERGED):
        return None
    if rows.case is None:  # its deadline has passed, and no sweep has opened the case yet
        return {"role": contract.reconciliation.escalate_to, "person": None}
    if rows.case.closed_at:
        return None
    return {"role": rows.case.role, "person": rows.case.owner.shown_name if rows.case.owner else None}


def _approval_expires_at(rows: _Rows, status: Status) -> datetime | None:
    """The end of the authorization that counts, or of the last one that did; none while signatures are awaited."""
    if rows.authorization:
        return rows.authorization.expires_at
    return rows.intent.authorization.expires_at if rows.intent and status is not Status.AWAITING_APPROVAL else None
