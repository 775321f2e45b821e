"""Writes down what is asked: a proposal with its first revision, or a further revision of it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from journal.digests import canonical, sha256
from journal.kinds import Kind
from journal.recording import Actor
from journal.statements import write, write_later
from proposals import keys
from proposals.chaining import link, tell
from proposals.contracts import Contract
from proposals.models import ContractVersion, Proposal, Revision
from proposals.revisions import (
    Asked,
    content_of,
    material_digest,
    reason_of,
    spelt,
    storable,
    stored_observation,
    target_of,
    target_version_of,
)
from systems.adapters.base import Observation
from systems.adapters.registry import systems
from tenancy.access import Caller
from tenancy.models import Scope


def create(
    *,
    caller: Caller,
    number: int,
    version: ContractVersion,
    contract: Contract,
    scope: Scope,
    asked: Asked,
    observation: Observation | None,
    decision: Mapping[str, Any],
    now: datetime,
    claim: keys.Claim,
    key_is_free: bool = False,
    answer: Mapping[str, Any] | None = None,
) -> Revision:
    """Proposal `number` exists with its revision 1, its key and its journal entry, inside the caller's transaction.

    `answer` is the bounded answer of a contract without effect: the proposal is answered at once, and told so.
    `key_is_free` says that nobody held the key a moment ago. Returns the revision, with `.proposal` set. Raises
    keys.KeyTaken when the key belongs to another submission; then the caller's transaction must not commit. Inside
    `journal.statements.together` all of it is sent, and may raise, when that ends.
    """
    proposal = Proposal(
        pk=number,
        organization=caller.organization,
        scope=scope,
        contract=version,
        tool=contract.name,
        requester=caller.person,
        agent=caller.agent,
        token=caller.token,
        session=asked.session or session_of(caller),
        state=Proposal.State.AWAITING_APPROVAL if answer is None else Proposal.State.ANSWERED,
        created_at=now,
        changed_at=now,
        review_expires_at=now + contract.policy.review_within,
        answer=None if answer is None else storable(answer),
        answers_proposal=asked.answers_proposal,
        what_changed=asked.what_changed,
    )
    # Before anything else is written: whoever comes second waits here, and what it wrote is undone. A read ends
    # without effect at once: asked again, it is read again, unless its caller gave a key of its own.
    if answer is None or not claim.key.startswith(keys.DERIVED):
        claim_it = keys.claim_free if key_is_free else keys.claim
        claim_it(caller, claim, proposal=proposal, window=contract.policy.idempotency_window, now=now)
    revision = _revision(
        proposal,
        caller=caller,
        version=version,
        contract=contract,
        number=1,
        asked=asked,
        observation=observation,
        decision=decision,
        now=now,
    )
    link(proposal, **_told(revision, caller=caller, contract=contract, asked=asked, now=now))
    if proposal.answer is not None:
        facts = {"digest": sha256(canonical(proposal.answer)), "fields": sorted(proposal.answer)}
        link(proposal, kind=Kind.PROPOSAL_ANSWERED, actor=Actor.server(), now=now, revision=1, facts=facts)
    write(proposal)
    write_later(revision)
    return revision


def create_revision(
    *,
    proposal: Proposal,
    caller: Caller,
    version: ContractVersion,
    contract: Contract,
    asked: Asked,
    observation: Observation | None,
    decision: Mapping[str, Any],
    now: datetime,
    claim: keys.Claim | None = None,
) -> Revision:
    """The proposal's next revision is the current one and awaits approval, inside the caller's transaction.

    The caller has locked the proposal, checked that it may be revised, and voided what stood on the revision before.
    Raises keys.KeyTaken like `create`.
    """
    number = proposal.current_revision + 1
    if claim is not None:
        window = contract.policy.idempotency_window
        keys.claim(caller, claim, proposal=proposal, revision=number, window=window, now=now)
    changes = {
        "contract": version,
        "token": caller.token,  # whoever asks for what is handed over must still be let in then
        "current_revision": number,
        "state": Proposal.State.AWAITING_APPROVAL,
        "cause": "",
        "changed_at": now,
        "review_expires_at": now + contract.policy.review_within,
        "claimed_by": None,
        "claimed_at": None,
    }
    Proposal.objects.filter(pk=proposal.pk).update(**changes)
    for name, value in changes.items():
        setattr(proposal, name, value)
    revision = _revision(
        proposal,
        caller=caller,
        version=version,
        contract=contract,
        number=number,
        asked=asked,
        observation=observation,
        decision=decision,
        now=now,
    )
    write(revision)
    tell(proposal, **_told(revision, caller=caller, contract=contract, asked=asked, now=now))
    return revision


def session_of(caller: Caller) -> str:
    """The session of a caller that names none: one for each token."""
    return f"token:{caller.token.pk}"


def system_digest(contract: Contract) -> str:
    """The digest of the business system's configuration as this process knows it; empty when there is none."""
    config = systems().get(contract.execution.system)
    return "" if config is None else config.digest


def _revision(
    proposal: Proposal,
    *,
    caller: Caller,
    version: ContractVersion,
    contract: Contract,
    number: int,
    asked: Asked,
    observation: Observation | None,
    decision: Mapping[str, Any],
    now: datetime,
) -> Revision:
    """The revision as it will be written."""
    target = target_of(contract, asked.arguments)
    target_version = target_version_of(contract, asked.arguments, observation)
    revision = Revision(
        proposal=proposal,
        number=number,
        contract=version,
        arguments=canonical(asked.arguments),
        suggestion=asked.suggestion,
        facts=[dict(fact) for fact in asked.facts],
        target=target,
        target_version=target_version,
        observation=stored_observation(observation, now=now),
        system_digest=system_digest(contract),
        material_digest=material_digest(
            contract=contract,
            organization=proposal.organization_id,
            scope=proposal.scope_id,
            arguments=asked.arguments,
            target=target,
            target_version=target_version,
        ),
        decision=dict(decision),
        created_at=now,
    )
    content = content_of(
        revision,
        contract=contract,
        arguments=asked.arguments,
        requester=caller.person.get_username(),
        scope=proposal.scope.code,
    )
    revision.content = canonical(content)
    revision.digest = sha256(revision.content)
    return revision


def _told(revision: Revision, *, caller: Caller, contract: Contract, asked: Asked, now: datetime) -> dict[str, Any]:
    """What the journal is told of a revision."""
    proposal = revision.proposal
    facts = {
        "tool": contract.name,
        "contract": {"version": contract.version, "digest": contract.digest},
        "system": {"name": contract.execution.system, "digest": revision.system_digest},
        "digest": revision.digest,
        "arguments": dict(asked.arguments),
        "target": revision.target,
        "target_version": revision.target_version,
        "observation": revision.observation and revision.observation["digest"],
        "material_digest": revision.material_digest,
        "reason": None if contract.reason_argument is None else reason_of(contract, asked.arguments, ""),
        "scope": proposal.scope.code,
        "decision": dict(revision.decision),
        "state": proposal.state,
        "review_expires_at": spelt(proposal.review_expires_at),
        "on_behalf_of": caller.person.pk,
        "token": caller.token.prefix,
        "session": sha256(proposal.session.encode()),
    }
    personal = {
        "requester": caller.person.get_username(),
        "suggestion": asked.suggestion,
        "facts": [dict(fact) for fact in asked.facts],
        "what_changed": asked.what_changed,
    }
    return {
        "kind": Kind.PROPOSAL_SUBMITTED if revision.number == 1 else Kind.PROPOSAL_REVISED,
        "actor": Actor.agent(caller),
        "now": now,
        "revision": revision.number,
        "facts": facts,
        "personal": personal,
    }
