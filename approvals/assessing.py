"""Gathers the frozen facts of a policy question: from the business system first, then from the database."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from approvals.fencing import holder
from approvals.models import Authorization, Signature
from approvals.policy import Approver, Question, Stage, Target, TargetIs
from journal.clock import now as database_now
from journal.digests import canonical
from proposals.contracts import Contract
from proposals.models import ContractVersion, Revision
from systems.adapters.base import Observation, Unreachable
from systems.adapters.registry import UnknownSystem, systems
from systems.observing import NotAvailable, observe
from tenancy.access import entitling_role, lock_entitlements, lock_token, roles_of
from tenancy.admissions import stopped
from tenancy.models import AgentToken, Organization, Scope, User


@dataclass(frozen=True)
class Look:
    """One look at a target: what the policy reads of it, what the system said, and the protected technical reason."""

    target: Target
    observation: Observation | None = None
    technical_reason: str = ""


NOTHING_TO_SEE = Look(Target(TargetIs.NONE))


def look(contract: Contract, *, target: str | None, scopes: Iterable[str]) -> Look:
    """See the target as it stands, with exactly one remote call, outside any transaction; `scopes` are scope codes.

    Without a target there is nothing to see and no call, except for a contract without effect: its read is its answer.
    """
    if target is None and contract.effect != "none":
        return NOTHING_TO_SEE
    execution = contract.execution
    try:
        seen = observe(system=execution.system, operation=execution.operation, target=target, scopes=frozenset(scopes))
    except UnknownSystem as error:
        return Look(Target(TargetIs.UNREACHABLE, target), technical_reason=str(error))
    if target is None and isinstance(seen, Observation):
        return Look(Target(TargetIs.NONE), observation=seen)
    return _looked(target, seen)


def _looked(target: str | None, seen: Observation | NotAvailable | Unreachable) -> Look:
    if isinstance(seen, NotAvailable):
        return Look(Target(TargetIs.NOT_AVAILABLE, target), technical_reason=seen.technical_reason)
    if isinstance(seen, Unreachable):
        return Look(Target(TargetIs.UNREACHABLE, target), technical_reason=seen.reason)
    try:
        version = canonical(seen.version).decode()
    except ValueError as error:
        return Look(Target(TargetIs.UNREACHABLE, target), technical_reason=f"its version cannot be spelt: {error}")
    facts = {
        "ref": seen.target,
        "label": seen.label,
        "state": seen.state,
        "version": seen.version,
        "scope": seen.scope,
        "attributes": dict(seen.attributes),
    }
    known = Target(TargetIs.SEEN, target, seen.label, seen.state, version, seen.scope, facts)
    return Look(known, observation=seen)


def expected_version(contract: Contract, arguments: Mapping[str, Any], target: Target) -> str | None:
    """The version a submission speaks of, as canonical JSON text: the one it announces, else the one observed."""
    if contract.version_argument and contract.version_argument in arguments:
        return canonical(arguments[contract.version_argument]).decode()
    return target.version


def system_digest(contract: Contract) -> str:
    """The digest of the business system's configuration as it is now; empty when it is not configured any more."""
    config = systems().get(contract.execution.system)
    return config.digest if config else ""


def gather(
    *,
    stage: Stage,
    revision: Revision,
    contract: Contract,
    arguments: Mapping[str, Any],
    look: Look,
    authorization: Authorization | None = None,
    signer: User | None = None,
    lock: bool = True,
) -> Question:
    """The question of a signature or a hand-over about `revision`, inside the caller's transaction.

    The question of a submission is asked in approvals.surroundings, in one statement.

    With `lock`, every gating row (admissions, contract version, roles of requester, approvers and `signer`, agent
    and token) is held FOR SHARE until the transaction ends, and `now` is read after that. The proposal, then
    the authorization and the intent, have been locked by the caller before.
    """
    proposal = revision.proposal
    signatures = list(_counted(authorization)) if authorization else []
    if lock:
        persons = [proposal.requester, *(signature.person for signature in signatures), *([signer] if signer else [])]
        _hold(revision, contract=contract, persons=persons)
    approvers = tuple(_as_it_stands(signature, contract=contract) for signature in signatures)
    return _question(
        stage=stage,
        organization=proposal.organization,
        scope=proposal.scope,
        requester=proposal.requester,
        token_id=proposal.token_id,
        version_id=revision.contract_id,
        contract=contract,
        arguments=arguments,
        target=look.target,
        expected_version=revision.target_version,
        system_approved=revision.system_digest,
        revision_id=revision.pk,
        approvers=approvers,
        quorum_met_until=authorization.expires_at if authorization and not authorization.voided_at else None,
    )


def _counted(authorization: Authorization) -> Iterable[Signature]:
    return authorization.signatures.select_related("person", "revision__proposal__organization").order_by("pk")


def _hold(revision: Revision, *, contract: Contract, persons: list[User]) -> None:
    proposal = revision.proposal
    stopped(
        organization=proposal.organization,
        tool=contract.name,
        system=contract.execution.system,
        now=revision.created_at,
        lock=True,
    )
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM proposals_contractversion WHERE id = %s FOR SHARE", [revision.contract_id])
    lock_entitlements(persons=persons, organization=proposal.organization)
    lock_token(proposal.token_id)


def _as_it_stands(signature: Signature, *, contract: Contract) -> Approver:
    proposal = signature.revision.proposal
    role = entitling_role(
        signature.person,
        organization=proposal.organization,
        scope=proposal.scope,
        roles=contract.policy.approver_roles,
    )
    return Approver(signature.person.get_username(), role, signature.expires_at, signature.revoked_at is not None)


def _question(
    *,
    stage: Stage,
    organization: Organization,
    scope: Scope,
    requester: User,
    token_id: int,
    version_id: int,
    contract: Contract,
    arguments: Mapping[str, Any],
    target: Target,
    expected_version: str | None,
    system_approved: str = "",
    revision_id: int | None = None,
    approvers: tuple[Approver, ...] = (),
    quorum_met_until: datetime | None = None,
) -> Question:
    now = database_now()
    state, digest = ContractVersion.objects.values_list("state", "digest").get(pk=version_id)
    revoked_at, disabled_at = AgentToken.objects.values_list("revoked_at", "agent__disabled_at").get(pk=token_id)
    held = roles_of(requester, organization=organization, scope=scope)
    return Question(
        stage=stage,
        now=now,
        stop=_stop(organization, contract, now),
        contract_state=state,
        contract_digest=digest,
        system_approved=system_approved,
        system_now=system_digest(contract),
        token_revoked=revoked_at is not None,
        agent_disabled=disabled_at is not None,
        requester={"name": requester.get_username(), "roles": sorted(held), "scope": scope.code},
        requester_role=next((role for role in contract.policy.requester_roles if role in held), None),
        scope=scope.code,
        arguments=arguments,
        target=target,
        expected_version=expected_version,
        fence=holder(
            organization=organization,
            system=contract.execution.system,
            target=target.ref,
            apart_from=revision_id,
            tool=contract.name,
            arguments=arguments,
        ),
        approvers=approvers,
        quorum_met_until=quorum_met_until,
    )


def _stop(organization: Organization, contract: Contract, now: datetime) -> str | None:
    stop = stopped(organization=organization, tool=contract.name, system=contract.execution.system, now=now)
    return stop_in_words(stop.subject, stop.name) if stop else None


def stop_in_words(subject: str, name: str) -> str:
    """What is stopped, as the policy's reasons name it."""
    return {"organization": "the organization", "tool": f"the tool {name}", "system": f"the system {name}"}[subject]
