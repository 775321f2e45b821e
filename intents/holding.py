"""Takes an intent and all that moves along with it, locked in the order of the house until the transaction ends."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Subquery

from approvals.models import Authorization
from intents.models import Intent
from intents.states import State
from proposals.arguments import parse
from proposals.contracts import Contract, contract_of
from proposals.models import Proposal, Revision
from systems.adapters import registry
from systems.adapters.base import Adapter, Order


@dataclass
class Held:
    """An intent with its proposal, revision and authorization: rows of this transaction, or just read together."""

    proposal: Proposal
    revision: Revision
    authorization: Authorization
    intent: Intent

    @property
    def contract(self) -> Contract:
        """The contract version that was approved."""
        return contract_of(self.revision.contract)

    @property
    def state(self) -> State:
        """Where the intent stands."""
        return State(self.intent.state)

    @property
    def adapter(self) -> Adapter:
        """The business system; raises registry.UnknownSystem when it is not configured any more."""
        return registry.adapter(self.intent.system)

    @cached_property
    def arguments(self) -> Mapping[str, Any]:
        """The approved arguments."""
        arguments: Mapping[str, Any] = parse(bytes(self.revision.arguments))
        return arguments

    @property
    def reference(self) -> str:
        """What the business system is told."""
        return str(self.intent.reference)

    @property
    def order(self) -> Order:
        """What is to be done, the same for every attempt: the approved arguments and the approved version."""
        version = self.revision.target_version
        return Order(
            operation=self.contract.execution.operation,
            arguments=self.arguments,
            target=self.revision.target,
            observed_version=parse(version.encode()) if version is not None else None,
            reference=self.reference,
            queue=self.contract.execution.queue,
        )


def hold_proposal(proposal_id: int) -> Proposal:
    """The proposal, locked: it carries the head of the chain, and every operation takes it first."""
    return (
        Proposal.objects.select_for_update(of=("self",))
        .select_related("organization", "scope", "requester", "agent", "contract")
        .get(pk=proposal_id)
    )


def hold(intent_id: int, *, proposal_id: int | None = None) -> Held:
    """An intent with its proposal and authorization, locked in that order. Inside a transaction only.

    `proposal_id` spares a query to those who know it: an intent never changes its proposal.

    Raises:
        Intent.DoesNotExist
    """
    return hold_intent(hold_proposal(proposal_id or proposal_of(intent_id)), intent_id)


def hold_intent(proposal: Proposal, intent_id: int) -> Held:
    """The rest of `hold`, for a caller that has locked the proposal already."""
    named = Intent.objects.filter(pk=intent_id).values("authorization")
    authorization = Authorization.objects.select_for_update().get(pk=Subquery(named))
    intent = Intent.objects.select_for_update(of=("self",)).select_related("revision__contract").get(pk=intent_id)
    return _together(proposal, intent, authorization)


def proposal_of(intent_id: int) -> int:
    """The id of the intent's proposal; raises Intent.DoesNotExist."""
    return int(Intent.objects.values_list("revision__proposal", flat=True).get(pk=intent_id))


def glance(intent_id: int) -> Held:
    """The same rows, read without any lock: to be looked at again under lock before anything is decided."""
    intent = Intent.objects.select_related(
        "authorization",
        "revision__contract",
        "revision__proposal__organization",
        "revision__proposal__scope",
        "revision__proposal__requester",
        "revision__proposal__agent",
    ).get(pk=intent_id)
    return _together(intent.revision.proposal, intent, intent.authorization)


def live_intent(proposal: Proposal) -> Held | None:
    """The intent of the current revision of a locked proposal, locked as well, or None while there is none."""
    found = Intent.objects.filter(revision__proposal=proposal, revision__number=proposal.current_revision)
    intent_id = found.values_list("pk", flat=True).first()
    return hold_intent(proposal, intent_id) if intent_id else None


def _together(proposal: Proposal, intent: Intent, authorization: Authorization) -> Held:
    revision = intent.revision
    revision.proposal = proposal
    intent.authorization = authorization
    return Held(proposal, revision, authorization, intent)
