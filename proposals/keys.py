"""The keys under which a submission happens once. A unique index settles races; the loser re-reads."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from journal.clock import now as database_now
from journal.digests import canonical, sha256
from journal.statements import say, say_later
from journal.wire import Rows
from proposals.models import Proposal, SubmissionKey
from tenancy.access import Caller

HEADER, DERIVED, CALL = "header:", "derived:", "call:"
_TRIES = 5

_OPEN = (Proposal.State.AWAITING_APPROVAL, Proposal.State.CHANGES_REQUESTED)


@dataclass(frozen=True)
class Claim:
    """A key as the caller presents it, and the fingerprint of what it was presented with."""

    key: str
    fingerprint: str


class KeyTaken(Exception):
    """Another submission holds the key; `held` is its row. The transaction that met it creates nothing."""

    def __init__(self, held: SubmissionKey) -> None:
        super().__init__(f"the key is held by P-{held.proposal_id}")
        self.held = held


def from_header(caller: Caller, key: str, *, body_fingerprint: str) -> Claim:
    """The claim of an Idempotency-Key header: the same body by the same person, or another request."""
    return Claim(HEADER + key, sha256(canonical([body_fingerprint, caller.person.pk])))


def from_call(caller: Caller, call_id: str, *, tool: str, arguments: Any, session: str) -> Claim:
    """The claim of one call of a model's turn: its id and its meaning within the session.

    Two ids are two calls, whatever they ask. Unlike a derived key it is not released when the proposal ends: the same
    turn, read again, asks nothing new.
    """
    meant = derived(caller, tool=tool, arguments=arguments, session=session)
    digest = sha256(canonical([call_id, meant.fingerprint]))
    return Claim(CALL + digest, digest)


def derived(caller: Caller, *, tool: str, arguments: Any, session: str) -> Claim:
    """The claim of a submission without a key: tool, canonical arguments, organization, agent, person and session."""
    place = [caller.organization.pk, caller.agent.pk, caller.person.pk, session]
    digest = sha256(canonical([tool, arguments, place]))
    return Claim(DERIVED + digest, digest)


def find(caller: Caller, claim: Claim, *, now: datetime | None = None) -> SubmissionKey | None:
    """The row that holds the key now, with its proposal, or None when the key is free."""
    row = _held(caller, claim).select_related("proposal__scope", "proposal__contract").first()
    return None if row is None or _is_over(row, now or database_now()) else row


def claim(
    caller: Caller, claim: Claim, *, proposal: Proposal, revision: int = 1, window: timedelta, now: datetime
) -> None:
    """The key belongs to this proposal's revision, inside the caller's transaction.

    Waits for a transaction that holds the key uncommitted. Raises KeyTaken when another submission has it.
    """
    for _ in range(_TRIES):
        if _insert(caller, claim, proposal=proposal, revision=revision, now=now, window=window):
            return
        row = _held(caller, claim).select_related("proposal").first()
        if row is not None and not _is_over(row, now):
            raise KeyTaken(row)
        if row is not None:
            _held(caller, claim).filter(pk=row.pk).update(released_at=now)
    raise RuntimeError("a submission key was taken and released again and again")


def claim_free(
    caller: Caller, claim: Claim, *, proposal: Proposal, revision: int = 1, window: timedelta, now: datetime
) -> None:
    """The same for a key that nobody held a moment ago: it is sent together with what is written after it.

    Whoever came meanwhile has it: KeyTaken is raised when the statements are sent, and what follows is undone.
    """

    def settle(rows: Rows) -> None:
        if not rows:
            raise KeyTaken(_held(caller, claim).select_related("proposal").get())

    given = _given(caller, claim, proposal=proposal, revision=revision, now=now, window=window)
    say_later(_INSERT, given, then=settle)


def release_derived(proposal: Proposal, *, now: datetime | None = None) -> None:
    """The same question may be asked anew: the proposal ended without effect, in this transaction."""
    rows = SubmissionKey.objects.filter(proposal=proposal, key__startswith=DERIVED, released_at__isnull=True)
    rows.update(released_at=now or database_now())


def _held(caller: Caller, claim: Claim) -> QuerySet[SubmissionKey]:
    return SubmissionKey.objects.filter(
        organization=caller.organization, agent=caller.agent, key=claim.key, released_at__isnull=True
    )


def _is_over(row: SubmissionKey, now: datetime) -> bool:
    """A key lapses with its window, but never while the outcome of its proposal is open."""
    return row.expires_at <= now and not _unresolved(row.proposal)


def _unresolved(proposal: Proposal) -> bool:
    if proposal.state != Proposal.State.AUTHORIZED:
        return proposal.state in _OPEN
    # The intent stands two floors up, and is asked for through the relation it declares on the revision.
    ended = Q(revisions__intent__isnull=False, revisions__intent__ended_at__isnull=False)
    return not Proposal.objects.filter(ended, pk=proposal.pk).exists()


# One statement: the unique index makes a second caller wait for the first to commit, and then gives it nothing.
# Django's bulk_create(ignore_conflicts=True) does not tell whether a row was made.
_INSERT = """
    INSERT INTO proposals_submissionkey
        (organization_id, agent_id, key, fingerprint, proposal_id, revision, created_at, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (organization_id, agent_id, key) WHERE released_at IS NULL DO NOTHING RETURNING id"""


def _insert(
    caller: Caller, claim: Claim, *, proposal: Proposal, revision: int, now: datetime, window: timedelta
) -> bool:
    return bool(say(_INSERT, _given(caller, claim, proposal=proposal, revision=revision, now=now, window=window)))


def _given(
    caller: Caller, claim: Claim, *, proposal: Proposal, revision: int, now: datetime, window: timedelta
) -> list[Any]:
    whose = [caller.organization.pk, caller.agent.pk, claim.key, claim.fingerprint]
    return [*whose, proposal.pk, revision, now, now + window]
