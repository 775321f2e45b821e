"""Replaces a revision by the next, as long as nothing was handed over; the old one's approval is void with it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from approvals import surroundings
from approvals.examining import Answers, Examined, Submission, examine, fit
from approvals.models import Authorization
from approvals.receiving import Received, decided, note
from approvals.refusals import Refusal
from approvals.restraining import count
from intents.ending import end_without_effect
from intents.holding import hold_proposal, live_intent
from intents.states import State
from journal.kinds import Kind
from journal.recording import Actor
from proposals import keys
from proposals.chaining import tell
from proposals.models import Proposal, Revision
from proposals.queries import visible_to
from proposals.revisions import Asked
from proposals.submitting import create_revision, session_of
from tenancy.access import Caller

UNDECIDED = (Proposal.State.AWAITING_APPROVAL, Proposal.State.CHANGES_REQUESTED)


def revise(
    caller: Caller,
    *,
    proposal_id: int,
    if_match: int,
    arguments: Any,
    suggestion: str = "",
    facts: tuple[Mapping[str, Any], ...] = (),
    tool: str | None = None,
    contract_version: str | None = None,
    session: str | None = None,
    answers: Answers | None = None,
    key: str | None = None,
    body_fingerprint: str = "",
) -> Received:
    """The proposal has a further revision, which needs a decision of its own; what stood on the one before is void.

    `if_match` is the revision the agent read. The same examination as at submission, with at most one remote call
    outside any transaction; the target stays in the proposal's scope.

    Raises:
        Refusal: any of its codes; the journal tells of it, and nothing else is recorded.
    """
    known = _known(caller, proposal_id)
    submission = Submission(
        tool=tool or known.tool,
        contract_version=contract_version,
        arguments=arguments,
        suggestion=suggestion,
        facts=tuple(facts),
        session=session,
        answers=answers,
    )
    try:
        return _revise(caller, known, submission, if_match=if_match, key=key, body_fingerprint=body_fingerprint)
    except Refusal as refusal:
        note(caller, refusal, submission=submission)
        raise


def _revise(
    caller: Caller, known: Proposal, submission: Submission, *, if_match: int, key: str | None, body_fingerprint: str
) -> Received:
    claim = keys.from_header(caller, key, body_fingerprint=body_fingerprint) if key else None
    if claim and (replayed := _replay(caller, claim, known)):
        return replayed
    _require_current(known, if_match)
    _require_revisable(known)
    if submission.tool != known.tool:
        error = {"pointer": "/tool", "keyword": "const", "expected": known.tool, "received": submission.tool[:80]}
        raise Refusal("invalid_arguments", detail="A revision is about the same tool.", errors=(error,))
    session = submission.session or session_of(caller)
    around = surroundings.before(caller, submission.tool, claim, session=session)
    examined = examine(caller, fit(caller, submission, around), around, within=[known.scope])
    try:
        return _write(caller, known, submission, examined, if_match=if_match, claim=claim)
    except keys.KeyTaken as taken:
        return _same_request(claim, taken.held, known)


def _write(
    caller: Caller,
    known: Proposal,
    submission: Submission,
    examined: Examined,
    *,
    if_match: int,
    claim: keys.Claim | None,
) -> Received:
    with transaction.atomic(durable=True):
        proposal = proposal_for(caller, known.pk)
        _require_current(proposal, if_match)
        made = decided(caller, submission, examined)
        stop_before_mark(proposal, cause="superseded", actor=Actor.agent(caller), now=made.now)
        revision = create_revision(
            proposal=proposal,
            caller=caller,
            version=examined.version,
            contract=examined.contract,
            asked=Asked(examined.arguments, submission.suggestion, submission.facts, submission.session or ""),
            observation=examined.look.observation,
            decision=made.decision.told,
            now=made.now,
            claim=claim,
        )
        count(examined.call, now=made.now, proposal=proposal)
    return Received(proposal, revision, decision=made.decision)


def proposal_for(caller: Caller, proposal_id: int) -> Proposal:
    """The caller's own proposal, locked; Refusal `not_found` alike for a missing and a foreign one."""
    _known(caller, proposal_id)
    return hold_proposal(proposal_id)


def _known(caller: Caller, proposal_id: int) -> Proposal:
    known = visible_to(caller).select_related("scope", "organization").filter(pk=proposal_id).first()
    if known is None:
        raise Refusal("not_found", detail="There is no such proposal.")
    return known


def stop_before_mark(proposal: Proposal, *, cause: str, actor: Actor, now: datetime) -> None:
    """Nothing is sent for the current revision, in the caller's transaction, which has locked the proposal.

    Raises:
        Refusal: proposal_closed, once it was handed over, ended, lapsed, or reopened for a new attempt.
    """
    _require_revisable(proposal)
    if proposal.state in UNDECIDED:
        if now >= proposal.review_expires_at:
            raise _closed("It expired before it was decided.")
        return
    held = live_intent(proposal)
    if held is None:
        _void_unopened(proposal, cause=cause, actor=actor, now=now)
        return
    if held.intent.reopened_at is not None:
        raise _closed("A new attempt can be signed or refused, but neither revised nor withdrawn.")
    if held.state is not State.READY:
        raise _closed("It was handed over, or it has ended.")
    if now >= held.authorization.expires_at:
        raise _closed("Its approval lapsed before it was handed over.")
    end_without_effect(held, cause=cause, actor=actor, now=now)


def _void_unopened(proposal: Proposal, *, cause: str, actor: Actor, now: datetime) -> None:
    """An authorization that no worker has taken yet gives leave to nothing any more."""
    live = Authorization.objects.select_for_update().filter(
        revision__proposal=proposal, revision__number=proposal.current_revision, voided_at__isnull=True
    )
    for authorization in live.select_related(None):
        if now >= authorization.expires_at:
            raise _closed("Its approval lapsed before it was handed over.")
        Authorization.objects.filter(pk=authorization.pk).update(voided_at=now, cause=cause)
        facts = {"authorization": authorization.pk, "cause": cause}
        number = proposal.current_revision
        tell(proposal, kind=Kind.AUTHORIZATION_VOIDED, actor=actor, now=now, revision=number, facts=facts)


def _require_revisable(proposal: Proposal) -> None:
    if proposal.state not in (*UNDECIDED, Proposal.State.AUTHORIZED):
        raise _closed(f"It is {proposal.state}.")


def _require_current(proposal: Proposal, if_match: int) -> None:
    if proposal.current_revision != if_match:
        raise Refusal(
            "stale_revision",
            detail=f"Revision {proposal.current_revision} is the current one.",
            hint="Read the proposal again, and revise its current revision.",
            extra={"current_revision": proposal.current_revision},
        )


def _closed(detail: str) -> Refusal:
    return Refusal("proposal_closed", detail=detail, hint="Make a new proposal if it is still needed.")


def _replay(caller: Caller, claim: keys.Claim, known: Proposal) -> Received | None:
    held = keys.find(caller, claim)
    return _same_request(claim, held, known) if held else None


def _same_request(claim: keys.Claim | None, held: Any, known: Proposal) -> Received:
    if claim is None or held.fingerprint != claim.fingerprint or held.proposal_id != known.pk:
        detail = "This Idempotency-Key was used for another request."
        raise Refusal("idempotency_key_reused", detail=detail, hint="Use a new key for a new request.")
    revision = Revision.objects.select_related("proposal__scope", "proposal__contract").get(
        proposal=held.proposal_id, number=held.revision
    )
    return Received(revision.proposal, revision, replayed=True)
