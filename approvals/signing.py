"""Signs: one person, one revision, one contract version, for a limited time."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from approvals.assessing import Look, gather, look
from approvals.cases import (
    AlreadyDecided,
    Case,
    NotAllowed,
    live_signatures,
    load,
    open_round,
    require_current,
    require_open,
    right_of,
    settled,
)
from approvals.ending import expire, set_state, stop
from approvals.models import Authorization, Signature
from approvals.policy import Decision, Question, Stage, Target, TargetIs, decide
from approvals.signatures import payload, spelt
from journal.clock import now as database_now
from journal.digests import sha256
from journal.kinds import Kind
from journal.recording import Actor
from proposals.chaining import tell
from proposals.contracts import Contract
from proposals.models import Proposal
from proposals.nudging import nudge
from tenancy.models import User

PRESENT_FOR = timedelta(minutes=10)  # how long a proof of presence is fresh enough for a high consequence


@dataclass(frozen=True)
class Seen:
    """What the person says they saw, in which language, for which round, and when they last proved to be present."""

    revision: int
    digest: str
    round: int
    language: str
    present_at: datetime | None = None


def sign(
    *,
    person: User,
    proposal_id: int,
    revision: int,
    digest: str,
    round: int = 1,
    language: str = "en",
    present_at: datetime | None = None,
) -> Signature:
    """The person's signature stands on exactly the revision seen; with the last one needed, leave to act is granted.

    The target is looked at once, before the transaction. A check that fails because of target, contract or
    entitlement ends the proposal as not sent; a stop or an unreachable target only refuses the signature now.
    A contract of high consequence asks that the person proved to be present not long ago (`present_at`).

    Raises:
        NotFound, Stale, AlreadyDecided, NotAllowed.
    """
    seen = Seen(revision, digest, round, language, present_at)
    first = load(proposal_id)
    require_current(first, revision=revision, digest=digest)
    require_open(first, round=round)
    _require_present(first, person, seen=seen)
    target = _look(first, person, round=round)
    return settled(lambda: _sign(load(proposal_id, lock=True), person=person, seen=seen, look=target))


def is_present(contract: Contract, present_at: datetime | None, *, now: datetime) -> bool:
    """Whether the proof of presence is fresh enough at `now`; only a high consequence asks for one."""
    return contract.consequence_level != "high" or (
        present_at is not None and present_at <= now < present_at + PRESENT_FOR
    )


def _require_present(case: Case, person: User, *, seen: Seen) -> None:
    """Asked before anything is looked at or written, of those who may sign: for others, that is what they are told."""
    if is_present(case.contract, seen.present_at, now=database_now()):
        return
    if right_of(case, person, round=seen.round)[0] is not None:
        raise NotAllowed("presence_needed")


def _look(case: Case, person: User, *, round: int) -> Look:
    """Look at the target for somebody who may sign; for anybody else no remote call is made."""
    if right_of(case, person, round=round)[0] is None:
        return Look(Target(TargetIs.UNREACHABLE, case.revision.target), technical_reason="it was not looked at")
    return look(case.contract, target=case.revision.target, scopes={case.proposal.scope.code})


def _sign(case: Case, *, person: User, seen: Seen, look: Look) -> Signature | NotAllowed:
    require_current(case, revision=seen.revision, digest=seen.digest)
    require_open(case, round=seen.round)
    question = _asked(case, person=person, look=look)
    now = question.now
    if now >= case.proposal.review_expires_at:
        return _too_late(case, round=seen.round, now=now)
    role, why_not = right_of(case, person, round=seen.round)
    if role is None:
        return _not_signed(case, person=person, code=why_not, now=now)
    _require_unsigned(case, person=person, round=seen.round, now=now)
    decision = decide(question, case.contract)
    if not decision.allowed:
        return _stopped(case, person=person, decision=decision, round=seen.round, now=now)
    signature = _write(case, person=person, role=role, seen=seen, decision=decision, now=now)
    _grant_if_complete(case, round=seen.round, now=now)
    return signature


def _asked(case: Case, *, person: User, look: Look) -> Question:
    return gather(
        stage=Stage.SIGNATURE,
        revision=case.revision,
        contract=case.contract,
        arguments=case.arguments,
        look=look,
        signer=person,
    )


def _too_late(case: Case, *, round: int, now: datetime) -> NotAllowed:
    if round == 1:  # a reopened intent ends as not executed, by its own floor
        expire(case.proposal, now=now)
    return NotAllowed("expired")


def _require_unsigned(case: Case, *, person: User, round: int, now: datetime) -> None:
    mine = case.revision.signatures.filter(round=round, person=person, revoked_at__isnull=True).first()
    if mine is None:
        return
    if now < mine.expires_at:
        raise AlreadyDecided(what="approved", by=person, at=mine.signed_at)
    # It lapsed before the others signed: it makes room for a new one, and stays readable.
    Signature.objects.filter(pk=mine.pk).update(revoked_at=now, revoked_reason="lapsed")


def _not_signed(case: Case, *, person: User, code: str, now: datetime, decision: Decision | None = None) -> NotAllowed:
    facts: dict[str, Any] = {"code": code, "digest": case.revision.digest}
    if decision:
        facts["reasons"], facts["policy_version"] = list(decision.reasons), decision.policy_version
    number = case.revision.number
    actor = Actor.person(person)
    tell(case.proposal, kind=Kind.SIGNATURE_REFUSED, actor=actor, now=now, revision=number, facts=facts)
    return NotAllowed(code, detail=" ".join(decision.reasons) if decision else "")


def _stopped(case: Case, *, person: User, decision: Decision, round: int, now: datetime) -> NotAllowed:
    refusal = _not_signed(case, person=person, code=decision.code, now=now, decision=decision)
    if not decision.waits and round == 1:
        version = decision.policy_version
        stop(case.proposal, cause=decision.code, reasons=decision.reasons, policy_version=version, now=now)
    return refusal


def _write(case: Case, *, person: User, role: str, seen: Seen, decision: Decision, now: datetime) -> Signature:
    expires_at = now + case.contract.policy.approval_valid_for
    content = payload(
        revision=case.revision,
        contract=case.contract,
        arguments=case.arguments,
        person=person,
        role=role,
        round=seen.round,
        signed_at=now,
        expires_at=expires_at,
        language=seen.language,
    )
    signature = Signature.objects.create(
        revision=case.revision,
        round=seen.round,
        person=person,
        role=role,
        payload=content,
        digest=sha256(content),
        signed_at=now,
        expires_at=expires_at,
    )
    _tell_signed(case, signature=signature, decision=decision, present_at=seen.present_at)
    return signature


def _tell_signed(case: Case, *, signature: Signature, decision: Decision, present_at: datetime | None) -> None:
    facts = {
        "role": signature.role,
        "round": signature.round,
        "revision_digest": case.revision.digest,
        "contract": {"name": case.contract.name, "version": case.contract.version, "digest": case.contract.digest},
        "decision": decision.told,
        "digest": signature.digest,
        "payload": bytes(signature.payload).decode(),
        "expires_at": spelt(signature.expires_at),
        "present_at": spelt(present_at) if present_at else None,
    }
    tell(
        case.proposal,
        kind=Kind.SIGNATURE_GIVEN,
        actor=Actor.person(signature.person),
        now=signature.signed_at,
        revision=case.revision.number,
        subjects={"signature": signature.public_id},
        facts=facts,
    )


def _grant_if_complete(case: Case, *, round: int, now: datetime) -> None:
    """With enough live signatures of distinct people: leave to act once, until the earliest of them expires."""
    counted = live_signatures(case, round=round, now=now)
    if len({signature.person_id for signature in counted}) < case.contract.policy.quorum:
        return
    expires_at = min(signature.expires_at for signature in counted)
    granted = Authorization.objects.create(revision=case.revision, round=round, granted_at=now, expires_at=expires_at)
    Signature.objects.filter(pk__in=[signature.pk for signature in counted]).update(authorization=granted)
    set_state(case.proposal, state=Proposal.State.AUTHORIZED, now=now)
    tell(
        case.proposal,
        kind=Kind.AUTHORIZATION_GRANTED,
        actor=Actor.server(),
        now=now,
        revision=case.revision.number,
        subjects={"authorization": granted.pk, "signatures": [signature.public_id for signature in counted]},
        facts={"round": round, "expires_at": spelt(expires_at), "quorum": case.contract.policy.quorum},
    )
    nudge("intents.tasks.open_intent", granted.pk)


def may_sign(case: Case, person: User, *, now: datetime) -> tuple[bool, str]:
    """Whether the page offers a signature to this person at `now`, and the code that says why not."""
    round = open_round(case)
    if round is None:
        return False, "closed"
    if now >= case.proposal.review_expires_at:
        return False, "expired"
    role, why_not = right_of(case, person, round=round)
    if role is not None and any(one.person_id == person.pk for one in live_signatures(case, round=round, now=now)):
        return False, "already_signed"
    return role is not None, why_not
