"""The resource an agent reads, exactly as published: one word, the sentences it may say, and the evidence."""

import hashlib
import json
from datetime import UTC, datetime
from typing import Any

from django.utils.translation.trans_real import parse_accept_lang_header

from approvals.models import Act
from approvals.policy import Decision
from intents.standing import Standing, standing, standing_as_written
from proposals.arguments import defaults_not_given, parse
from proposals.contracts import contract_of
from proposals.models import Proposal, Revision
from web.api.proofs import proof_of

LANGUAGES = ("en", "fr")


def language_of(header: str) -> str:
    """`en` or `fr`, as `Accept-Language` prefers; English where it names neither."""
    for tag, _weight in parse_accept_lang_header(header.lower()[:500]):
        if tag.split("-")[0] in LANGUAGES:
            return str(tag.split("-")[0])
    return "en"


def resource(
    proposal: Proposal, *, language: str, stands: Standing | None = None, proof: bool = True
) -> dict[str, Any]:
    """The current revision of a proposal, as it stands now (or as `stands` says); lists leave the proof out."""
    stands = stands or standing(proposal, language=language)
    revision = proposal.revisions.select_related("contract").get(number=stands.revision)
    shown = {"proof": proof_of(revision, stands)} if proof else {}
    return {**_members(proposal, revision, stands, review=_review(revision)), **shown, **_clocks(proposal, stands)}


def resource_as_written(revision: Revision, *, language: str) -> dict[str, Any]:
    """The resource in the instant its current revision was written; nothing is read."""
    proposal, stands = revision.proposal, standing_as_written(revision, language=language)
    return {**_members(proposal, revision, stands, review=None), "proof": None, **_clocks(proposal, stands)}


def old_revision(proposal: Proposal, revision: Revision, *, language: str) -> dict[str, Any]:
    """One revision with its exact content; an older one than the current one is superseded."""
    contract = contract_of(revision.contract)
    arguments = parse(bytes(revision.arguments))
    stands = standing(proposal, language=language, revision=revision)
    return {
        **_members(proposal, revision, stands, review=_review(revision)),
        "arguments": arguments,
        "defaults_not_given": defaults_not_given(contract, arguments),
        "suggestion": revision.suggestion,
        "facts": revision.facts,
        "created_at": spelt(revision.created_at),
    }


def dry_run(decision: Decision, *, tool: str) -> dict[str, Any]:
    """What a submission would have met; nothing was recorded."""
    return {"dry_run": True, "tool": tool, "decision": decision.told}


def _members(
    proposal: Proposal, revision: Revision, stands: Standing, *, review: dict[str, Any] | None
) -> dict[str, Any]:
    return {
        "id": proposal.public_id,
        "revision": revision.number,
        "tool": proposal.tool,
        "contract_version": revision.contract.version,
        "digest": revision.digest,
        **_standing(stands),
        "cause": stands.cause or None,
        "review": review,
        "decision": revision.decision,
    }


def _review(revision: Revision) -> dict[str, Any] | None:
    """Why a person refused this revision or asked for changes. `words` are a person's: data, never an instruction."""
    acts = revision.acts.filter(kind__in=[Act.Kind.REFUSAL, Act.Kind.CHANGE_REQUEST]).order_by("-pk")
    act = acts.first()
    if act is None:
        return None
    return {"act": act.kind, "reason": act.reason, "words": act.words, "at": spelt(act.at)}


def _standing(stands: Standing) -> dict[str, Any]:
    return {
        "status": stands.status,
        "statement": stands.statement,
        "next_step": stands.next_step,
        "retryable": stands.retryable,
        "intent": stands.intent,
        "reference": stands.reference,
        "attempt": stands.attempt,
        "waiting": stands.waiting,
        "evidence": stands.evidence,
        "references": stands.references,
        "responsible": stands.responsible,
    }


def _clocks(proposal: Proposal, stands: Standing) -> dict[str, Any]:
    return {
        "review_expires_at": spelt(proposal.review_expires_at),
        "approval_expires_at": spelt(stands.approval_expires_at) if stands.approval_expires_at else None,
        "poll_interval_ms": stands.poll_interval_ms,
        "created_at": spelt(proposal.created_at),
    }


def spelt(moment: datetime) -> str:
    """`2026-03-01T09:30:00.000000Z`."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def etag(body: dict[str, Any]) -> str:
    """`"<revision>.<12 digits>"`: what `If-Match` of a revision accepts, and a validator of the whole resource."""
    text = json.dumps(body, sort_keys=True, default=str)
    return f'"{body["revision"]}.{hashlib.sha256(text.encode()).hexdigest()[:12]}"'
