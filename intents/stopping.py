"""Stops what was asked, for certain as long as it was not handed over; afterwards says that it is too late.

Revoking and handing over race for the same lock on the proposal: exactly one of "revoked, nothing was sent" and
"too late, being sent" is true, and is told.
"""

from datetime import datetime

from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from approvals.cases import Case, NotAllowed, load, open_round, settled
from approvals.ending import end
from approvals.models import Act, Authorization, Signature
from intents.cancelling import ask, may_ask
from intents.ending import end_without_effect
from intents.holding import Held, hold_intent
from intents.models import Intent
from intents.opening import take
from intents.revising import proposal_for, revise, stop_before_mark
from intents.states import State
from journal.clock import now as database_now
from journal.kinds import Kind
from journal.recording import Actor
from proposals.chaining import tell
from proposals.models import Proposal
from tenancy.access import Caller, lock_entitlements
from tenancy.models import User

__all__ = ["TooLate", "request_cancellation", "revise", "revoke", "withdraw"]

HANDED_OVER = frozenset({State.SENDING, State.ACCEPTED, State.UNKNOWN})
SENTENCES: dict[State, Promise] = {
    State.SENDING: _("Too late: it is being sent. You can ask for a cancellation."),
    State.ACCEPTED: _("Too late: the business system has accepted it. You can ask for a cancellation."),
    State.UNKNOWN: _("Too late: it was handed over; its outcome is being established. You can ask for a cancellation."),
    State.CONFIRMED: _("Too late: it was carried out."),
    State.DIVERGED: _("Too late: it had an effect, and people are working on it."),
    State.REFUSED: _("It was handed over, and the business system refused it: it had no effect."),
}


class TooLate(Exception):
    """It was handed over before it could be stopped; `sentence` is for the person, `state` the intent's."""

    def __init__(self, state: State) -> None:
        super().__init__(f"the intent is {state}")
        self.state = state
        self.sentence: Promise = SENTENCES[state]
        self.may_request_cancellation = state in HANDED_OVER


def revoke(*, person: User, proposal_id: int, reason: str, words: str = "") -> None:
    """The person's signature counts no more: before the quorum it awaits approval again; after it, nothing is sent.

    Raises:
        NotFound, NotAllowed (`not_signed`, `closed`, `expired`, `unknown_reason`), TooLate.
    """

    def act() -> None:
        if not reason or len(reason) > 64:
            raise NotAllowed("unknown_reason")
        case = load(proposal_id, lock=True)
        held = _intent_of(case)
        now = database_now()
        signature = _signature_of(case, person, held=held)
        _revoke_signature(case, signature, reason=reason, words=words, now=now)
        if signature.authorization_id is None:
            return
        if held is None or held.authorization.pk != signature.authorization_id:
            held = _open(case, signature.authorization_id, now=now)
        if held is None:
            raise NotAllowed("closed")
        if now >= held.authorization.expires_at:
            raise NotAllowed("expired")
        actor = Actor.person(person)
        end_without_effect(held, cause="revoked", actor=actor, now=now, facts={"signature": signature.public_id})

    settled(act)


def _intent_of(case: Case) -> Held | None:
    found = Intent.objects.filter(revision=case.revision).values_list("pk", flat=True).first()
    return hold_intent(case.proposal, found) if found else None


def _signature_of(case: Case, person: User, *, held: Held | None) -> Signature:
    """The person's live signature that can still be taken back, whether or not it is counted already."""
    if held and held.state not in (State.READY, State.REOPENED):
        raise TooLate(held.state) if held.state in SENTENCES else NotAllowed("closed")
    if held is None and case.proposal.state not in (Proposal.State.AWAITING_APPROVAL, Proposal.State.AUTHORIZED):
        raise NotAllowed("closed")
    last = case.revision.authorizations.order_by("-round").first()
    round = open_round(case) or (last.round if last else 1)
    mine = Signature.objects.filter(revision=case.revision, round=round, person=person, revoked_at__isnull=True)
    signature = mine.first()
    if signature is None:
        raise NotAllowed("not_signed")
    return signature


def _revoke_signature(case: Case, signature: Signature, *, reason: str, words: str, now: datetime) -> None:
    Signature.objects.filter(pk=signature.pk, revoked_at__isnull=True).update(
        revoked_at=now, revoked_reason=reason, revoked_words=words.strip()
    )
    tell(
        case.proposal,
        kind=Kind.SIGNATURE_REVOKED,
        actor=Actor.person(signature.person),
        now=now,
        revision=case.revision.number,
        subjects={"signature": signature.public_id},
        facts={"reason": reason, "round": signature.round},
        personal={"words": words.strip()} if words.strip() else None,
    )


def _open(case: Case, authorization_id: int, *, now: datetime) -> Held | None:
    """Give an authorization that no worker has taken yet its intent, so that its end can be told of it."""
    authorization = (
        Authorization.objects.select_for_update(of=("self",))
        .select_related("revision__contract")
        .get(pk=authorization_id)
    )
    return take(case.proposal, authorization, now=now)


def withdraw(caller: Caller, *, proposal_id: int) -> Proposal:
    """The proposal is withdrawn by the agent that made it: nothing is sent.

    Raises:
        Refusal: not_found; proposal_closed once it was handed over, ended, or reopened for a new attempt.
    """
    with transaction.atomic(durable=True):
        proposal = proposal_for(caller, proposal_id)
        now, actor = database_now(), Actor.agent(caller)
        stop_before_mark(proposal, cause="withdrawn", actor=actor, now=now)
        facts = {"on_behalf_of": caller.person.pk, "token": caller.token.prefix}
        number = proposal.current_revision
        tell(proposal, kind=Kind.PROPOSAL_WITHDRAWN, actor=actor, now=now, revision=number, facts=facts)
        end(proposal, state=Proposal.State.WITHDRAWN, cause="withdrawn", now=now)
    return proposal


def request_cancellation(*, person: User, proposal_id: int, reason: str, words: str = "") -> Act:
    """The wish is recorded and told to those who establish the outcome; what becomes of it is only what is observed.

    Where the business system declares that it takes orders back, a worker asks it to, once, as soon as there is an
    effect to name (intents.cancelling). Elsewhere nothing is sent.

    Raises:
        NotFound, NotAllowed (`not_permitted`, `closed`, `unknown_reason`).
    """

    def act() -> Act:
        if not reason or len(reason) > 64:
            raise NotAllowed("unknown_reason")
        case = load(proposal_id, lock=True)
        held = _intent_of(case)
        lock_entitlements(persons=[person], organization=case.proposal.organization)
        if not may_ask(case.proposal, case.contract, person):
            raise NotAllowed("not_an_approver")
        if held is None or held.state not in HANDED_OVER:
            raise NotAllowed("closed")
        return _write_request(case, held, person=person, reason=reason, words=words.strip(), now=database_now())

    return settled(act)


def _write_request(case: Case, held: Held, *, person: User, reason: str, words: str, now: datetime) -> Act:
    act = Act.objects.create(
        proposal=case.proposal,
        revision=case.revision,
        kind=Act.Kind.CANCELLATION_REQUEST,
        person=person,
        reason=reason,
        words=words,
        at=now,
    )
    tell(
        case.proposal,
        kind=Kind.CANCELLATION_REQUESTED,
        actor=Actor.person(person),
        now=now,
        revision=case.revision.number,
        subjects={"act": act.pk, "intent": held.intent.public_id},
        facts={"reason": reason, "state": held.state},
        personal={"words": words} if words else None,
    )
    ask(held, act, now=now)
    return act
