"""Tells facts about a proposal, each linked to the one before on the chain `P-<id>`."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from journal.kinds import Kind
from journal.recording import Actor, Head, record
from journal.statements import change
from proposals.models import Proposal


def tell(
    proposal: Proposal,
    *,
    kind: Kind,
    actor: Actor,
    now: datetime,
    revision: int | None = None,
    subjects: Mapping[str, Any] | None = None,
    facts: Mapping[str, Any] | None = None,
    personal: Mapping[str, Any] | None = None,
) -> None:
    """The fact stands in the journal as the newest link of the proposal's chain.

    Inside a transaction that created the proposal's row or locked it: the row carries the head.
    """
    link(
        proposal,
        kind=kind,
        actor=actor,
        now=now,
        revision=revision,
        subjects=subjects,
        facts=facts,
        personal=personal,
    )
    change(
        Proposal,
        where={"id": proposal.pk},
        otherwise=Proposal.DoesNotExist(proposal.public_id),
        chain_digest=proposal.chain_digest,
        chain_length=proposal.chain_length,
    )


def link(
    proposal: Proposal,
    *,
    kind: Kind,
    actor: Actor,
    now: datetime,
    revision: int | None = None,
    subjects: Mapping[str, Any] | None = None,
    facts: Mapping[str, Any] | None = None,
    personal: Mapping[str, Any] | None = None,
) -> None:
    """The same for a proposal whose row the caller writes afterwards, with the head that it has then."""
    about = {"proposal": proposal.public_id, **({} if revision is None else {"revision": revision})}
    digest = bytes(proposal.chain_digest) if proposal.chain_digest is not None else None
    head = record(
        kind=kind,
        actor=actor,
        organization=proposal.organization_id,
        now=now,
        subjects={**about, **(subjects or {})},
        facts=facts,
        chain=proposal.public_id,
        head=Head(digest, proposal.chain_length),
        personal=personal,
    )
    proposal.chain_digest, proposal.chain_length = head.digest, head.length
