"""Who may do what, where: roles held now, in a scope or in the whole organization."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import connection
from django.db.models import Q, QuerySet

from tenancy.models import Agent, AgentToken, Organization, RoleGrant, Scope, User


@dataclass(frozen=True)
class Caller:
    """An authenticated agent: its token, the person it acts for, and the limits of the token.

    `scopes` and `tools` are limits only; the person's roles, asked anew each time, are the rights. `used_lately` says
    that the use of the token need not be written down again.
    """

    token: AgentToken
    agent: Agent
    person: User
    organization: Organization
    scopes: tuple[Scope, ...]
    tools: frozenset[str] | None
    used_lately: bool = False

    def may_name(self, tool: str) -> bool:
        """Whether the token's own limits let it speak of this tool."""
        return self.tools is None or tool in self.tools


def _live(person: User) -> QuerySet[RoleGrant]:
    return RoleGrant.objects.filter(person=person, person__is_active=True, ended_at__isnull=True)


def roles_of(person: User, *, organization: Organization, scope: Scope | None = None) -> frozenset[str]:
    """The roles a person holds now in `scope` or organization-wide; without a scope, organization-wide only."""
    where = Q(scope__isnull=True) | Q(scope=scope) if scope else Q(scope__isnull=True)
    return frozenset(_live(person).filter(where, organization=organization).values_list("role", flat=True))


def entitling_role(
    person: User, *, organization: Organization, scope: Scope | None, roles: Iterable[str]
) -> str | None:
    """The first of `roles` that the person holds there now, or None."""
    held = roles_of(person, organization=organization, scope=scope)
    return next((role for role in roles if role in held), None)


def scopes_with(person: User, *, roles: Iterable[str]) -> QuerySet[Scope]:
    """Every scope, in any organization, in which the person holds one of the roles now."""
    grants = _live(person).filter(role__in=list(roles))
    return Scope.objects.filter(
        Q(pk__in=grants.filter(scope__isnull=False).values("scope"))
        | Q(organization__in=grants.filter(scope__isnull=True).values("organization"))
    )


def organizations_with(person: User, *, roles: Iterable[str]) -> QuerySet[Organization]:
    """Every organization in which the person holds one of the roles for the whole of it."""
    grants = _live(person).filter(role__in=list(roles), scope__isnull=True)
    return Organization.objects.filter(pk__in=grants.values("organization"))


def lock_entitlements(*, persons: Iterable[User], organization: Organization) -> None:
    """Hold the persons' rows and role grants still until the transaction ends (FOR SHARE).

    A role that is being ended either ended before, and is seen, or waits until this decision is committed.
    """
    ids = sorted({person.pk for person in persons})
    _share(User.objects.filter(pk__in=ids))
    _share(RoleGrant.objects.filter(person__in=ids, organization=organization, ended_at__isnull=True))


def lock_token(token_id: int) -> AgentToken:
    """Return the token as it is now, with its agent, held still until the transaction ends (FOR SHARE)."""
    _share(AgentToken.objects.filter(pk=token_id))
    token = AgentToken.objects.select_related("agent", "on_behalf_of").get(pk=token_id)
    _share(Agent.objects.filter(pk=token.agent_id))
    return token


def _share(rows: QuerySet) -> None:
    """Lock rows FOR SHARE, in one order. Django has no word for it, so the clause is added to its own query."""
    sql, params = rows.order_by("pk").values("pk").query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(f"{sql} FOR SHARE", params)
        cursor.fetchall()
