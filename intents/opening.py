"""Takes the baton of the floor below: an authorization becomes an intent, once."""

import uuid
from datetime import datetime, timedelta

from django.db import transaction

from approvals.models import Authorization
from intents.failpoints import Step, failpoint
from intents.holding import Held, hold_intent, hold_proposal
from intents.models import Intent
from intents.moving import instant, move, tell_of
from intents.states import State
from journal.clock import now as database_now
from journal.kinds import Kind
from journal.recording import Actor
from proposals.contracts import contract_of
from proposals.models import Proposal

# How long the sweep leaves a fresh intent to the worker that was nudged.
GRACE = timedelta(seconds=3)


def open_intent(authorization_id: int) -> Intent | None:
    """The authorization's intent is ready: created, or reopened and freshly signed. None when there is nothing to take.

    Safe to call any number of times: a unique key on the revision, and the lock on its proposal, make it once.
    """
    with transaction.atomic(durable=True):
        found = Authorization.objects.filter(pk=authorization_id).values_list("revision__proposal", flat=True).first()
        if found is None:
            return None
        proposal = hold_proposal(found)
        authorization = (
            Authorization.objects.select_for_update(of=("self",))
            .select_related("revision__contract")
            .get(pk=authorization_id)
        )
        held = take(proposal, authorization, now=database_now())
        failpoint(Step.BEFORE_OPENING_COMMIT)
    failpoint(Step.OPENED)
    return held.intent if held else None


def take(proposal: Proposal, authorization: Authorization, *, now: datetime) -> Held | None:
    """The same, in the caller's transaction, which has locked the proposal and the authorization."""
    if authorization.voided_at is not None:
        return None
    intent_id = Intent.objects.filter(revision=authorization.revision_id).values_list("pk", flat=True).first()
    if intent_id is None:
        return _create(proposal, authorization, now=now)
    held = hold_intent(proposal, intent_id)
    if held.state is State.REOPENED and held.intent.authorization_id != authorization.pk:
        _ready_again(held, authorization, now=now)
    return held


def _create(proposal: Proposal, authorization: Authorization, *, now: datetime) -> Held:
    revision = authorization.revision
    revision.proposal = proposal
    intent = Intent.objects.create(
        organization_id=proposal.organization_id,
        revision=revision,
        authorization=authorization,
        tool=proposal.tool,
        system=contract_of(revision.contract).execution.system,
        target=revision.target,
        reference=uuid.uuid4(),
        opened_at=now,
        changed_at=now,
        next_look_at=now + GRACE,
    )
    held = Held(proposal, revision, authorization, intent)
    facts = {
        "reference": held.reference,
        "authorization": authorization.pk,
        "expires_at": instant(authorization.expires_at),
    }
    tell_of(held, kind=Kind.INTENT_OPENED, actor=Actor.server(), now=now, facts=facts)
    return held


def _ready_again(held: Held, authorization: Authorization, *, now: datetime) -> None:
    """A reopened intent was freshly signed: same reference, same number, a new authorization."""
    held.authorization = authorization
    move(
        held,
        to=State.READY,
        actor=Actor.server(),
        now=now,
        kind=Kind.INTENT_OPENED,
        expected=State.REOPENED,
        fence=held.intent.attempt,
        facts={"round": authorization.round, "authorization": authorization.pk},
        authorization_id=authorization.pk,
        next_look_at=now + GRACE,
        looks=0,
        waiting="",
        waiting_on="",
        next_probe_at=None,
    )
