"""Publishes contract versions, and makes one of them the active one. A published version never changes."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from journal.clock import now as database_now
from journal.digests import canonical
from journal.kinds import Kind
from journal.recording import Actor, record
from proposals.contracts import Contract, parse_contract
from proposals.models import ContractVersion, Proposal, Revision
from proposals.vetting import neighbours_in, vet
from systems.adapters.registry import systems
from tenancy.access import organizations_with, roles_of
from tenancy.admissions import ensure_switch
from tenancy.models import Admission, Organization, User

OWNER = "owner"
NOT_REHEARSED = "not rehearsed"


class NotAnOwner(Exception):
    """The person does not hold the role of contract owner in this organization."""


class SeveralOrganizations(Exception):
    """The person owns contracts in several organizations: name one."""


class VersionTaken(Exception):
    """This version was published with another content: a change is a new version."""


class UnknownVersion(LookupError):
    """There is no such contract version in this organization."""


class CannotActivate(Exception):
    """The version cannot be made active; the text says why."""


@dataclass(frozen=True)
class Casualties:
    """What ends when a version is retired: proposals that await a decision, approvals not handed over yet."""

    open_proposals: tuple[str, ...]
    live_authorizations: tuple[str, ...]


def publish(
    *, text: bytes | str, file_name: str, by: User, organization: Organization | None = None
) -> ContractVersion:
    """The contract in `text` is a published draft of the organization; the same content again changes nothing.

    Raises systems.yamlfiles.FileError with every problem (errors of the linter among them), NotAnOwner,
    SeveralOrganizations, VersionTaken; then nothing is published.
    """
    parse_contract(text, file_name, systems=systems())
    organization = owned_organization(by, organization)
    vetted = vet(text, file_name, others=neighbours_in(organization), systems=systems())
    document, contract = vetted.document, vetted.contract
    with transaction.atomic(durable=True):
        # A person may lose the role while the file is read: asked again where it counts.
        _require_owner(by, organization)
        now = database_now()
        version, created = ContractVersion.objects.get_or_create(
            organization=organization,
            name=contract.name,
            version=contract.version,
            defaults={
                "canonical": canonical(document),
                "digest": contract.digest,
                "source": text if isinstance(text, str) else text.decode("utf-8"),
                "published_at": now,
                "published_by": by,
            },
        )
        if version.digest != contract.digest:
            raise VersionTaken(VersionTaken.__doc__)
        if created:
            for subject, name in _switches(contract):
                ensure_switch(organization=organization, subject=subject, name=name)
            _tell(Kind.CONTRACT_PUBLISHED, version, by=by, now=now, facts={"digest": version.digest})
    return version


def rehearsed(version: ContractVersion) -> None:
    """A draft has passed a rehearsal: that alone makes nothing active."""
    drafts = ContractVersion.objects.filter(pk=version.pk, state=ContractVersion.State.DRAFT)
    drafts.update(state=ContractVersion.State.REHEARSED)


def activate(
    *, organization: Organization, name: str, version: str, by: User, waiver: str = "", cleared: bool = False
) -> ContractVersion:
    """The version is the active one of its name, and the one before is retired, in one transaction.

    Unless it is `cleared` — rehearsals.clearing found nothing missing — it is active under a waiver, which is shown
    wherever the contract is.
    Raises NotAnOwner, UnknownVersion, CannotActivate. Activating the active version changes nothing.
    """
    with transaction.atomic(durable=True):
        # Every version of the name is held, in one order, so that two activations cannot cross.
        rows = list(
            ContractVersion.objects.select_for_update(of=("self",))
            .filter(organization=organization, name=name)
            .order_by("pk")
        )
        _require_owner(by, organization)
        chosen = next((row for row in rows if row.version == version), None)
        if chosen is None:
            raise UnknownVersion(UnknownVersion.__doc__)
        if chosen.state == ContractVersion.State.ACTIVE:
            return chosen
        _require_activable(chosen, by=by)
        now = database_now()
        for row in rows:
            if row.state == ContractVersion.State.ACTIVE:
                _retire(row, by=by, now=now, replaced_by=chosen.version)
        _make_active(chosen, by=by, now=now, waiver="" if cleared else waiver.strip() or NOT_REHEARSED)
    return chosen


def change_waiver(version: ContractVersion, *, by: User, waiver: str) -> ContractVersion:
    """The active version is so under this waiver from now on, or without one: the caller found nothing missing then.

    Raises NotAnOwner, CannotActivate.
    """
    with transaction.atomic(durable=True):
        row = ContractVersion.objects.select_for_update(of=("self",)).get(pk=version.pk)
        _require_owner(by, row.organization)
        if row.state != ContractVersion.State.ACTIVE:
            raise CannotActivate(f"{row.name}@{row.version} is not active.")
        _require_activable(row, by=by)
        if row.waiver != waiver:
            facts = {"digest": row.digest, "before": row.waiver, "waiver": waiver}
            row.waiver = waiver
            row.save(update_fields=["waiver"])
            kind = Kind.WAIVER_CHANGED if waiver else Kind.WAIVER_LIFTED
            _tell(kind, row, by=by, now=database_now(), facts=facts)
    return row


def casualties(version: ContractVersion) -> Casualties:
    """Everything that would end if this version were retired now."""
    awaiting = (Proposal.State.AWAITING_APPROVAL, Proposal.State.CHANGES_REQUESTED)
    open_proposals = Proposal.objects.filter(contract=version, state__in=awaiting).order_by("pk")
    # Authorizations and intents stand on floors above, and are asked for through the relations they declare. What was
    # handed over goes on; what is ready, or about to be, does not.
    authorized = (
        Revision.objects.filter(contract=version, proposal__state=Proposal.State.AUTHORIZED)
        .filter(authorizations__voided_at__isnull=True, authorizations__expires_at__gt=database_now())
        .exclude(intent__state__in=("sending", "accepted", "unknown", "confirmed", "refused", "diverged"))
        .order_by("proposal_id")
    )
    return Casualties(
        open_proposals=tuple(proposal.public_id for proposal in open_proposals),
        live_authorizations=tuple(f"P-{pk}" for pk in authorized.values_list("proposal_id", flat=True).distinct()),
    )


def owned_organization(by: User, organization: Organization | None = None) -> Organization:
    """The organization whose contracts the person owns: the one named, or the only one.

    Raises NotAnOwner, SeveralOrganizations.
    """
    if organization is not None:
        _require_owner(by, organization)
        return organization
    owned = list(organizations_with(by, roles=[OWNER]).order_by("pk")[:2])
    if not owned:
        raise NotAnOwner(f"{by.get_username()} is not a contract owner.")
    if len(owned) > 1:
        raise SeveralOrganizations(SeveralOrganizations.__doc__)
    return owned[0]


def _require_owner(by: User, organization: Organization) -> None:
    if OWNER not in roles_of(by, organization=organization):
        raise NotAnOwner(f"{by.get_username()} is not a contract owner in {organization.slug}.")


def _require_activable(row: ContractVersion, *, by: User) -> None:
    if row.state == ContractVersion.State.RETIRED:
        raise CannotActivate(f"{row.name}@{row.version} is retired: publish a new version.")
    if row.published_by_id == by.pk:
        raise CannotActivate(f"{by.get_username()} published {row.name}@{row.version}: somebody else activates it.")


def _retire(row: ContractVersion, *, by: User, now: datetime, replaced_by: str) -> None:
    ContractVersion.objects.filter(pk=row.pk, state=ContractVersion.State.ACTIVE).update(
        state=ContractVersion.State.RETIRED, retired_at=now, retired_by=by
    )
    lost = casualties(row)
    facts: dict[str, Any] = {"digest": row.digest, "replaced_by": replaced_by}
    facts |= {"open_proposals": list(lost.open_proposals), "live_authorizations": list(lost.live_authorizations)}
    _tell(Kind.CONTRACT_RETIRED, row, by=by, now=now, facts=facts)


def _make_active(row: ContractVersion, *, by: User, now: datetime, waiver: str) -> None:
    row.waiver = waiver
    row.state, row.activated_at, row.activated_by = ContractVersion.State.ACTIVE, now, by
    row.save(update_fields=["state", "activated_at", "activated_by", "waiver"])
    _tell(Kind.CONTRACT_ACTIVATED, row, by=by, now=now, facts={"digest": row.digest, "waiver": row.waiver})


def _switches(contract: Contract) -> tuple[tuple[str, str], ...]:
    return (
        (Admission.Subject.ORGANIZATION.value, ""),
        (Admission.Subject.TOOL.value, contract.name),
        (Admission.Subject.SYSTEM.value, contract.execution.system),
    )


def _tell(kind: Kind, row: ContractVersion, *, by: User, now: datetime, facts: dict[str, Any]) -> None:
    record(
        kind=kind,
        actor=Actor.person(by),
        organization=row.organization_id,
        now=now,
        subjects={"contract": row.name, "version": row.version},
        facts=facts,
    )
