"""Ends a proposal before anything was sent: expired, stopped by a check, refused. Its derived key is given back."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from approvals.models import Authorization
from journal.clock import now as database_now
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


def release_if_lapsed(proposal: Proposal) -> bool:
    """Whether it has expired by the database's clock, swept or not; then its derived key is free, under its lock.

    A mark under way is seen before it or after it: once this answers true, nothing can be handed over any more.
    """
    if not _lapsed(proposal, now=database_now()):
        return False
    with transaction.atomic(durable=True):
        held = Proposal.objects.select_for_update(of=("self",)).get(pk=proposal.pk)
        now = database_now()
        lapsed = _lapsed(held, now=now)
        if lapsed:
            release_derived(held, now=now)
    return lapsed


def _lapsed(proposal: Proposal, *, now: datetime) -> bool:
    if proposal.state in (Proposal.State.AWAITING_APPROVAL, Proposal.State.CHANGES_REQUESTED):
        return now >= proposal.review_expires_at
    if proposal.state != Proposal.State.AUTHORIZED:
        return False
    # The intent stands one floor up, and is asked for through the relation it declares on its revision.
    current = proposal.revisions.filter(number=proposal.current_revision)
    live = Authorization.objects.filter(revision__in=current, voided_at__isnull=True).first()
    if live is None:
        return now >= proposal.review_expires_at and current.filter(intent__state="reopened").exists()
    waits = Q(intent__isnull=True) | Q(intent__state__in=("ready", "reopened"))
    return now >= live.expires_at and current.filter(waits).exists()


def stop(proposal: Proposal, *, cause: str, reasons: tuple[str, ...], policy_version: str, now: datetime) -> None:
    """A check of the server ended it: nothing was sent, and the reason stands in the journal."""
    facts = {"cause": cause, "reasons": list(reasons), "policy_version": policy_version}
    facts["revision"] = str(proposal.current_revision)
    tell(proposal, kind=Kind.PROPOSAL_STOPPED, actor=Actor.server(), now=now, facts=facts)
    end(proposal, state=Proposal.State.NOT_SENT, cause=cause, now=now)
