"""Ends a proposal before anything was sent: expired, stopped by a check, refused. Its derived key is given back."""

from datetime import datetime

from journal.kinds import Kind
from journal.recording import Actor
from proposals.chaining import tell
from proposals.keys import release_derived
from proposals.models import Proposal


def end(proposal: Proposal, *, state: Proposal.State, cause: str, now: datetime) -> None:
    """The proposal is over, without effect, inside the caller's transaction that holds its row."""
    set_state(proposal, state=state, cause=cause, now=now)
    release_derived(proposal)


def set_state(proposal: Proposal, *, state: Proposal.State, now: datetime, cause: str = "") -> None:
    """The proposal stands in `state` since `now`, inside the caller's transaction that holds its row."""
    proposal.state, proposal.cause, proposal.changed_at = state, cause, now
    Proposal.objects.filter(pk=proposal.pk).update(state=state, cause=cause, changed_at=now)


def expire(proposal: Proposal, *, now: datetime) -> None:
    """No decision came in time: nothing was sent."""
    facts = {"review_expires_at": proposal.review_expires_at.isoformat(), "revision": proposal.current_revision}
    tell(proposal, kind=Kind.PROPOSAL_EXPIRED, actor=Actor.server(), now=now, facts=facts)
    end(proposal, state=Proposal.State.EXPIRED, cause="review_expired", now=now)


def stop(proposal: Proposal, *, cause: str, reasons: tuple[str, ...], policy_version: str, now: datetime) -> None:
    """A check of the server ended it: nothing was sent, and the reason stands in the journal."""
    facts = {"cause": cause, "reasons": list(reasons), "policy_version": policy_version}
    facts["revision"] = str(proposal.current_revision)
    tell(proposal, kind=Kind.PROPOSAL_STOPPED, actor=Actor.server(), now=now, facts=facts)
    end(proposal, state=Proposal.State.NOT_SENT, cause=cause, now=now)
