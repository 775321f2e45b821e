"""Receives what agents submit: examined, looked at once, decided and written down — or refused, and journalled."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from approvals import surroundings
from approvals.ending import release_if_lapsed
from approvals.examining import (
    Answers,
    Examined,
    Submission,
    admissions_stopped,
    examine,
    fit,
    rule_violated,
    target_not_available,
    target_unreachable,
)
from approvals.policy import Decision, Verdict, decide
from approvals.refusals import Refusal
from approvals.refused_before import require_new_question
from approvals.restraining import count, counted_if_refused
from journal.clock import now as database_now
from journal.digests import canonical, sha256
from journal.kinds import Kind
from journal.recording import Actor, record
from journal.statements import together
from proposals import keys
from proposals.models import Proposal, Revision
from proposals.pacing import charge
from proposals.queries import visible_to
from proposals.revisions import Asked, storable
from proposals.secrets import mask
from proposals.submitting import create, session_of
from tenancy.access import Caller

__all__ = ["Answers", "Received", "Refusal", "Submission", "decided", "note", "receive"]

_EXCERPT = 300


@dataclass(frozen=True)
class Received:
    """What a submission led to. On a dry run there is a decision and nothing else; a replay decides nothing."""

    proposal: Proposal | None
    revision: Revision | None
    replayed: bool = False
    decision: Decision | None = None


@dataclass(frozen=True)
class Decided:
    """An allowed decision, the instant it was taken at, and the number of the proposal to be, if one was asked for."""

    decision: Decision
    now: datetime
    number: int | None


def receive(
    caller: Caller,
    submission: Submission,
    *,
    key: str | None = None,
    body_fingerprint: str = "",
    call_id: str | None = None,
    dry_run: bool = False,
) -> Received:
    """A proposal exists for the submission, or existed already under its key. A dry run leaves a journal entry only.

    `key` is the Idempotency-Key, with `body_fingerprint`, the digest of the canonical body; `call_id` the id of a call
    in a model's turn. With neither, a key is derived from the meaning. At most one remote call, in no transaction.

    Raises:
        Refusal: any of its codes; the journal tells of it, and nothing else is recorded.
    """
    try:
        claim = _claim(caller, submission, key=key, body_fingerprint=body_fingerprint, call_id=call_id)
        return _receive(caller, submission, claim, early=key is not None, dry_run=dry_run)
    except Refusal as refusal:
        note(caller, refusal, submission=submission)
        raise


def _claim(
    caller: Caller, submission: Submission, *, key: str | None, body_fingerprint: str, call_id: str | None
) -> keys.Claim | None:
    """The key of a submission; None where it is made of arguments that cannot be spelt, and will be refused for it."""
    if key is not None:
        return keys.from_header(caller, key, body_fingerprint=body_fingerprint)
    tool, arguments, session = submission.tool, submission.arguments, submission.session or session_of(caller)
    try:
        if call_id is not None:
            return keys.from_call(caller, call_id, tool=tool, arguments=arguments, session=session)
        return keys.derived(caller, tool=tool, arguments=arguments, session=session)
    except ValueError:
        return None


def _receive(
    caller: Caller, submission: Submission, claim: keys.Claim | None, *, early: bool, dry_run: bool
) -> Received:
    """`early`: an earlier answer under the key is given before the submission is examined at all."""
    session = submission.session or session_of(caller)
    known = surroundings.before(caller, submission.tool, claim, session=session)
    sought = claim if known.key_is_held and not dry_run else None
    if sought and early and (earlier := _replay(caller, sought)):
        return earlier
    fitting = fit(caller, submission, known)
    assert claim is not None  # arguments that fit have a canonical spelling
    if sought and not early and (earlier := _replay(caller, sought)):
        return earlier
    if dry_run:
        return _dry(caller, submission, examine(caller, fitting, known))
    # Key and budget were read in one instant: whoever sent the same key before has not spent it on this one unseen.
    examined = examine(caller, fitting, known)
    try:
        return _create(caller, submission, examined, claim=claim, key_is_free=not known.key_is_held)
    except keys.KeyTaken as taken:
        return _as_replay(caller, claim, taken.held.fingerprint, taken.held.proposal_id, taken.held.revision)


def _replay(caller: Caller, claim: keys.Claim) -> Received | None:
    """The answer to the same request, if it was made. What this caller may not read is examined as if it were new."""
    held = keys.find(caller, claim)
    if held is None or not visible_to(caller).filter(pk=held.proposal_id).exists():
        return None
    if claim.key.startswith(keys.DERIVED) and release_if_lapsed(held.proposal):
        return None
    return _as_replay(caller, claim, held.fingerprint, held.proposal_id, held.revision)


def _as_replay(caller: Caller, claim: keys.Claim, fingerprint: str, proposal_id: int, number: int) -> Received:
    """The proposal made under the same key, as it now stands; another body under the key is refused."""
    if fingerprint != claim.fingerprint or not visible_to(caller).filter(pk=proposal_id).exists():
        detail = "This Idempotency-Key was used for another request."
        raise Refusal("idempotency_key_reused", detail=detail, hint="Use a new key for a new request.")
    revision = Revision.objects.select_related("proposal__scope", "proposal__contract").get(
        proposal=proposal_id, number=number
    )
    with transaction.atomic(durable=True):
        record(
            kind=Kind.SUBMISSION_REPLAYED,
            actor=Actor.agent(caller),
            organization=caller.organization.pk,
            now=database_now(),
            subjects={"proposal": revision.proposal.public_id, "revision": number},
            facts={"key": claim.key.split(":", 1)[0]},
        )
    return Received(revision.proposal, revision, replayed=True)


def _create(
    caller: Caller, submission: Submission, examined: Examined, *, claim: keys.Claim, key_is_free: bool
) -> Received:
    with transaction.atomic(durable=True), together():
        made = decided(caller, submission, examined, numbered=True)
        assert made.number is not None
        revision = create(
            caller=caller,
            number=made.number,
            version=examined.version,
            contract=examined.contract,
            scope=examined.scope,
            asked=_asked(submission, examined),
            observation=examined.look.observation,
            decision=made.decision.told,
            now=made.now,
            claim=claim,
            key_is_free=key_is_free,
            answer=_answer(examined),
        )
        count(examined.call, now=made.now, proposal=revision.proposal)
    return Received(revision.proposal, revision, decision=made.decision)


def decided(caller: Caller, submission: Submission, examined: Examined, *, numbered: bool = False) -> Decided:
    """The policy's answer, allowed; `numbered` takes a new proposal's number. Inside a transaction; raises Refusal."""
    with counted_if_refused(examined.call):
        return _decided(caller, submission, examined, numbered=numbered)


def _decided(caller: Caller, submission: Submission, examined: Examined, *, numbered: bool) -> Decided:
    around = surroundings.within(
        caller=caller,
        version=examined.version,
        contract=examined.contract,
        scope=examined.scope,
        arguments=examined.arguments,
        look=examined.look,
        numbered=numbered,
    )
    decision = decide(around.question, examined.contract)
    if not decision.allowed:
        raise _refusal_of(decision)
    require_new_question(caller, submission.answers, around.refused, contract=examined.contract, scope=examined.scope)
    return Decided(decision, around.now, around.number)


def _asked(submission: Submission, examined: Examined) -> Asked:
    answers = submission.answers
    return Asked(
        arguments=examined.arguments,
        suggestion=submission.suggestion,
        facts=tuple(submission.facts),
        session=submission.session or "",
        answers_proposal=int(answers.proposal.removeprefix("P-")) if answers else None,
        what_changed=answers.what_changed if answers else "",
    )


def _answer(examined: Examined) -> dict[str, Any] | None:
    """The answer of a contract without effect: fields of its output contract only, as many as its size allows."""
    contract, seen = examined.contract, examined.look.observation
    if contract.effect != "none":
        return None
    said: Mapping[str, Any] = seen.answer if seen else {}
    answer: dict[str, Any] = {}
    for name in contract.output_fields:
        longer = {**answer, name: storable(said.get(name))}
        if name in said and len(canonical(longer)) <= contract.output_max_bytes:
            answer = longer
    return answer


def _dry(caller: Caller, submission: Submission, examined: Examined) -> Received:
    with transaction.atomic(durable=True):
        made = decided(caller, submission, examined)
        record(
            kind=Kind.DECISION_TAKEN,
            actor=Actor.agent(caller),
            organization=caller.organization.pk,
            now=made.now,
            facts={"dry_run": True, "tool": examined.contract.name, "decision": made.decision.told},
        )
        count(examined.call, now=made.now)
    return Received(None, None, decision=made.decision)


def _refusal_of(decision: Decision) -> Refusal:
    """The policy's refusal as an answer to the agent."""
    failing = [one for one in decision.checks if one.verdict in (Verdict.FAILS, Verdict.WAITS)]
    match decision.code:
        case "admissions_stopped":
            return admissions_stopped()
        case "target_not_available":
            return target_not_available("the policy found it outside the scope")
        case "target_unreachable":
            return target_unreachable("the policy was not shown it")
        case "rule_violated":
            return rule_violated(one.reason for one in failing if one.code == "rule_violated")
        case "token_revoked" | "agent_disabled":
            return Refusal("unauthenticated", detail="A valid agent token is needed.")
        case "target_changed":
            hint = "Read the target again, and propose for its current version."
            return Refusal("target_changed", detail=" ".join(decision.reasons), hint=hint)
    return Refusal(decision.code, detail=" ".join(decision.reasons))


def note(caller: Caller, refusal: Refusal, *, submission: Submission | None = None) -> None:
    """The journal tells of a refused submission: what was wrong and where, the digest, and a masked excerpt apart."""
    raw = refusal.raw or (_spelt(submission) if submission else b"")
    text = raw.decode("utf-8", "replace")
    with transaction.atomic(durable=True):
        now = database_now()
        record(
            kind=Kind.SUBMISSION_REFUSED,
            actor=Actor.agent(caller),
            organization=caller.organization.pk,
            now=now,
            facts={
                "code": refusal.code,
                "tool": mask(submission.tool)[:80] if submission else None,
                "detail": refusal.detail,
                "technical_reason": refusal.technical_reason,
                "errors": [f"{error['pointer']} {error['keyword']}" for error in refusal.errors[:20]],
                "digest": sha256(raw),
                "on_behalf_of": caller.person.pk,
                "token": caller.token.prefix,
            },
            personal={"excerpt": mask(text)[:_EXCERPT]} if text else None,
        )
        if refusal.counts is not None:
            charge(refusal.counts, now=now)  # what is over the budget by now was refused anyway


def _spelt(submission: Submission) -> bytes:
    try:
        return canonical({"tool": submission.tool, "arguments": submission.arguments})
    except ValueError:  # what has no exact spelling was refused for that; the journal keeps it as it prints
        return repr(submission.arguments).encode("utf-8", "replace")
