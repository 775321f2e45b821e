"""Takes an intent and all that moves along with it, locked in the order of the house until the transaction ends."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.models import Subquery

from approvals.models import Authorization
from intents import rows
from intents.models import Attempt, Intent
from intents.states import State
from journal.wire import Said, ask
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
    # The database's clock after the last lock was taken; absent where the rows were held one by one.
    now: datetime | None = None
    read_at: float = 0.0  # the monotonic clock of this process just after that
    gates: Mapping[str, Any] = field(default_factory=dict)  # see intents.asking
    latest: Attempt | None = None  # the current attempt
    evidence_id: int | None = None  # kept for the evidence that an attempt will bring

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


def hold(intent_id: int) -> Held:
    """An intent with its proposal and authorization, locked in that order. Inside a transaction only.

    Raises:
        Intent.DoesNotExist
    """
    return _whole(_read(intent_id, (rows.TAKE, [intent_id, False]), (rows.READ, [intent_id])))


def hold_with_gates(seen: Held) -> Held:
    """What was seen at a glance, locked as by `hold` and, while it is ready, with every gating row locked FOR SHARE.

    What may have changed is read again, `gates` told with it; a revision, who asked and where never change.
    """
    intent_id = seen.intent.pk
    now, gates, evidence_id, *values = _read(intent_id, (rows.TAKE, [intent_id, True]), (rows.READ_AGAIN, [intent_id]))
    (intent, proposal, authorization, latest), _ = rows.moving(values)
    proposal.scope, proposal.requester = seen.proposal.scope, seen.proposal.requester
    intent.revision = seen.revision
    held = _together(proposal, intent, authorization)
    held.now, held.read_at, held.latest = now, time.monotonic(), latest
    held.gates, held.evidence_id = json.loads(gates), evidence_id
    return held


def hold_intent(proposal: Proposal, intent_id: int) -> Held:
    """The rest of `hold`, for a caller that has locked the proposal already."""
    named = Intent.objects.filter(pk=intent_id).values("authorization")
    authorization = Authorization.objects.select_for_update().get(pk=Subquery(named))
    intent = Intent.objects.select_for_update(of=("self",)).select_related("revision__contract").get(pk=intent_id)
    return _together(proposal, intent, authorization)


def glance(intent_id: int) -> Held:
    """The same rows, read without any lock: to be looked at again under lock before anything is decided.

    Raises:
        Intent.DoesNotExist
    """
    return _whole(_read(intent_id, (rows.READ, [intent_id])))


def _read(intent_id: int, *said: Said) -> Sequence[Any]:
    """What the last of the statements reads: they go in one message."""
    found = ask(*said)[-1]
    if not found:
        raise Intent.DoesNotExist(f"I-{intent_id}")
    return found[0]


def _whole(values: Sequence[Any]) -> Held:
    now, *read = values
    (intent, proposal, authorization, latest), others = rows.moving(read)
    (revision, scope, requester, contract), _ = rows.lasting(others)
    proposal.scope, proposal.requester = scope, requester
    revision.contract, intent.revision = contract, revision
    if proposal.contract_id == revision.contract_id:
        proposal.contract = contract
    held = _together(proposal, intent, authorization)
    held.now, held.latest = now, latest
    return held


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
