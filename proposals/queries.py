"""Reads proposals. Scope stands in the query itself: what is foreign is missing."""

import re

from django.db.models import Exists, OuterRef, Q, QuerySet

from proposals.models import ContractVersion, Proposal
from tenancy.access import Caller
from tenancy.models import Organization, RoleGrant, User

_PUBLIC_ID = re.compile(r"P-([1-9][0-9]{0,17})", re.ASCII)


class NotFound(LookupError):
    """There is no such proposal for this caller: missing and foreign are the same."""


def visible_to(who: Caller | User) -> QuerySet[Proposal]:
    """The proposals that the caller made for its person, or those in scopes where the person holds a role."""
    if isinstance(who, Caller):
        mine = Proposal.objects.filter(
            organization=who.organization, agent=who.agent, requester=who.person, scope__in=who.scopes
        )
        return mine if who.tools is None else mine.filter(tool__in=who.tools)
    grants = RoleGrant.objects.filter(
        Q(scope__isnull=True) | Q(scope=OuterRef("scope")),
        organization=OuterRef("organization"),
        person=who,
        person__is_active=True,
        ended_at__isnull=True,
    )
    return Proposal.objects.filter(Exists(grants))


def load(who: Caller | User, public_id: str) -> Proposal:
    """The proposal `P-42` with its scope, contract version, requester and agent.

    Raises NotFound, alike for a bad id, a missing proposal and a foreign one.
    """
    found = _PUBLIC_ID.fullmatch(public_id)
    rows = visible_to(who).select_related("organization", "scope", "contract", "requester", "agent", "token")
    proposal = rows.filter(pk=int(found[1]) if found else 0).first()
    if proposal is None:
        raise NotFound(NotFound.__doc__)
    return proposal


def active_version(organization: Organization, tool: str) -> ContractVersion | None:
    """The active version of the tool in the organization, or None; names match exactly."""
    return ContractVersion.objects.filter(
        organization=organization, name=tool, state=ContractVersion.State.ACTIVE
    ).first()
