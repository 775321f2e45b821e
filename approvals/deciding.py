"""People decide: sign, refuse, ask for changes, comment, claim.

Every decision holds the proposal's row first, then reads the database's clock. Whatever ended the case meanwhile
is told by an exception that names who and when; a decision that came too late changes nothing.
"""

from datetime import datetime
from typing import Any

from approvals.cases import (
    AlreadyDecided,
    Case,
    NotAllowed,
    Stale,
    load,
    open_round,
    require_current,
    require_open,
    right_of,
    settled,
)
from approvals.ending import end, expire, set_state
from approvals.models import Act
from approvals.signing import may_sign, sign
from journal.clock import now as database_now
from journal.kinds import Kind
from journal.recording import Actor
from proposals.chaining import tell
from proposals.models import Proposal
from proposals.nudging import nudge
from proposals.queries import NotFound
from tenancy.access import lock_entitlements
from tenancy.models import User

__all__ = [
    "AlreadyDecided",
    "NotAllowed",
    "NotFound",
    "Stale",
    "claim",
    "comment",
    "may_sign",
    "refuse",
    "request_changes",
    "sign",
]

MAX_WORDS = 4_000


def refuse(
    *, person: User, proposal_id: int, revision: int, digest: str, reason: str, words: str = "", round: int = 1
) -> Act:
    """One refusal rejects: the proposal is closed, with the reason, and nothing was sent.

    A refused round beyond the first leaves its row for the intent, which ends as not executed.

    Raises:
        NotFound, Stale, AlreadyDecided, NotAllowed.
    """

    def act() -> Act | NotAllowed:
        case = load(proposal_id, lock=True)
        now = _may_decide(case, person=person, revision=revision, digest=digest, round=round)
        if isinstance(now, NotAllowed):
            return now
        _require_words(reason, words, among=case.contract.reasons.refuse)
        done = _write(case, Act.Kind.REFUSAL, person=person, reason=reason, words=words, now=now, round=round)
        if round == 1:
            end(case.proposal, state=Proposal.State.REJECTED, cause=reason, now=now)
        else:
            nudge("intents.tasks.sweep")
        return done

    return settled(act)


def request_changes(*, person: User, proposal_id: int, revision: int, digest: str, reason: str, words: str = "") -> Act:
    """The agent is asked for another revision, with a reason; signatures on this one count for nothing any more.

    Raises:
        NotFound, Stale, AlreadyDecided, NotAllowed.
    """

    def act() -> Act | NotAllowed:
        case = load(proposal_id, lock=True)
        if (open_round(case) or 1) > 1:
            raise NotAllowed("not_open_for_changes")
        now = _may_decide(case, person=person, revision=revision, digest=digest, round=1)
        if isinstance(now, NotAllowed):
            return now
        _require_words(reason, words, among=case.contract.reasons.change)
        done = _write(case, Act.Kind.CHANGE_REQUEST, person=person, reason=reason, words=words, now=now)
        set_state(case.proposal, state=Proposal.State.CHANGES_REQUESTED, cause=reason, now=now)
        return done

    return settled(act)


def comment(*, person: User, proposal_id: int, words: str) -> Act:
    """The person's words stand on the case for those who read it; nothing else changes. The door checked who reads it.

    Raises:
        NotFound, NotAllowed.
    """

    def act() -> Act | NotAllowed:
        case = load(proposal_id, lock=True)
        if not words.strip():
            raise NotAllowed("words_missing")
        _require_length(words)
        return _write(case, Act.Kind.COMMENT, person=person, reason="", words=words, now=database_now())

    return settled(act)


def claim(*, person: User, proposal_id: int, why: str = "") -> None:
    """Others see that the person is looking at it; it keeps nobody from deciding. Taking over asks why.

    Raises:
        NotFound, AlreadyDecided, NotAllowed.
    """

    def act() -> None:
        case = load(proposal_id, lock=True)
        proposal, now = case.proposal, database_now()
        require_open(case, round=open_round(case) or 1)
        role, why_not = right_of(case, person, round=open_round(case) or 1)
        if role is None:
            raise NotAllowed(why_not)
        if proposal.claimed_by_id == person.pk:
            return
        if proposal.claimed_by_id and not why.strip():
            raise NotAllowed("claimed")
        _require_length(why)
        proposal.claimed_by, proposal.claimed_at = person, now
        Proposal.objects.filter(pk=proposal.pk).update(claimed_by=person, claimed_at=now)
        words = {"why": why.strip()} if why.strip() else None
        tell(proposal, kind=Kind.CASE_CLAIMED, actor=Actor.person(person), now=now, personal=words)

    settled(act)


def _may_decide(case: Case, *, person: User, revision: int, digest: str, round: int) -> datetime | NotAllowed:
    """The instant of the decision, once everything that could stand against it was asked under the lock."""
    require_current(case, revision=revision, digest=digest)
    require_open(case, round=round)
    lock_entitlements(persons=[person], organization=case.proposal.organization)
    now = database_now()
    role, why_not = right_of(case, person, round=round)
    if role is None:
        raise NotAllowed(why_not)
    if now < case.proposal.review_expires_at:
        return now
    if round == 1:
        expire(case.proposal, now=now)
    return NotAllowed("expired")


_KINDS = {
    Act.Kind.REFUSAL: Kind.PROPOSAL_REFUSED,
    Act.Kind.CHANGE_REQUEST: Kind.CHANGES_REQUESTED,
    Act.Kind.COMMENT: Kind.COMMENT_MADE,
}


def _write(case: Case, kind: Act.Kind, *, person: User, reason: str, words: str, now: datetime, round: int = 1) -> Act:
    """The act stands, with its journal entry; the person's words are kept apart, so that they can be erased."""
    act = Act.objects.create(
        proposal=case.proposal,
        revision=case.revision,
        round=round,
        kind=kind,
        person=person,
        reason=reason,
        words=words.strip(),
        at=now,
    )
    facts: dict[str, Any] = {"revision_digest": case.revision.digest, "round": round}
    if reason:
        facts["reason"] = reason
    tell(
        case.proposal,
        kind=_KINDS[kind],
        actor=Actor.person(person),
        now=now,
        revision=case.revision.number,
        subjects={"act": act.pk},
        facts=facts,
        personal={"words": act.words} if act.words else None,
    )
    return act


def _require_words(reason: str, words: str, *, among: tuple[str, ...]) -> None:
    if reason not in among:
        raise NotAllowed("unknown_reason")
    if reason == "OTHER" and not words.strip():
        raise NotAllowed("words_missing")
    _require_length(words)


def _require_length(words: str) -> None:
    if "\x00" in words:
        raise NotAllowed("words_unreadable")
    if len(words) > MAX_WORDS:
        raise NotAllowed("words_too_long")
