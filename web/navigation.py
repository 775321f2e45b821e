"""Which rooms a person's roles open, and how much waits in them."""

from dataclasses import dataclass

from intents.caseboard import count_open
from tenancy.access import organizations_with
from tenancy.models import RoleGrant, User
from web.review import queries as review
from web.support import queries as support


@dataclass(frozen=True)
class Navigation:
    """What the bar at the top shows; a count is None where the room is not shown."""

    to_decide: int | None = None
    unknown: int | None = None
    contracts: bool = False
    operations: bool = False
    journal: bool = False
    figures: bool = False
    agents: bool = False


def navigation_of(person: User) -> Navigation:
    """The rooms open to the person now."""
    return Navigation(
        to_decide=review.count_to_decide(person),
        unknown=count_open(person) if support.has_desk(person) else None,
        contracts=(holds_a_role := RoleGrant.objects.filter(person=person, ended_at__isnull=True).exists()),
        operations=organizations_with(person, roles=["operator"]).exists(),
        journal=organizations_with(person, roles=["auditor"]).exists(),
        figures=organizations_with(person, roles=["owner", "operator", "auditor"]).exists(),
        agents=holds_a_role,
    )
