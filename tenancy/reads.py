"""What a submission reads here, as parts of one statement: roles held, stops in force, and how a token stands."""

from collections.abc import Iterable, Sequence
from typing import Any

from journal.reads import Read
from tenancy.models import Admission, Organization, Scope

Grant = Sequence[Any]  # a role, and the id of its scope (None: the whole organization)
Stop = Sequence[str]  # subject and name, see tenancy.models.Admission


def grants_of(person: int, *, organization: int) -> Read:
    """The roles that the person holds there now, as a list of Grant."""
    return Read(
        """SELECT coalesce(json_agg(json_build_array(held.role, held.scope_id)), '[]')
           FROM tenancy_rolegrant held JOIN tenancy_user person ON person.id = held.person_id
           WHERE held.person_id = %s AND held.organization_id = %s AND held.ended_at IS NULL AND person.is_active""",
        (person, organization),
    )


def stops_in(organization: Organization) -> Read:
    """What is stopped there now, in the order of the switches, as a list of Stop."""
    return Read(
        """SELECT coalesce(json_agg(json_build_array(subject, name) ORDER BY id), '[]') FROM tenancy_admission
           WHERE organization_id = %s AND stopped_at IS NOT NULL
             AND (stopped_until IS NULL OR stopped_until > clock_timestamp())""",
        (organization.pk,),
    )


def token_standing(token: int) -> Read:
    """Whether the token is revoked, and whether its agent is disabled: two booleans."""
    return Read(
        """SELECT json_build_array(token.revoked_at IS NOT NULL, agent.disabled_at IS NOT NULL)
           FROM tenancy_agenttoken token JOIN tenancy_agent agent ON agent.id = token.agent_id WHERE token.id = %s""",
        (token,),
    )


def roles_in(scope: Scope, grants: Iterable[Grant]) -> frozenset[str]:
    """The roles among these grants that count in the scope."""
    return frozenset(role for role, place in grants if place is None or place == scope.pk)


def stop_for(stops: Iterable[Stop], *, tool: str, system: str) -> Stop | None:
    """The first of these stops that concerns the tool in this system."""
    subjects = {
        (Admission.Subject.ORGANIZATION.value, ""),
        (Admission.Subject.TOOL.value, tool),
        (Admission.Subject.SYSTEM.value, system),
    }
    return next((stop for stop in stops if tuple(stop) in subjects), None)
