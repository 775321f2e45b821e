"""What the desk's pages need beside the board: closed cases, and colleagues."""

from django.db.models import Q, QuerySet

from intents.caseboard import READERS, open_cases, visible_cases
from intents.models import Case
from proposals.models import Proposal
from tenancy.models import RoleGrant, User

PAGE = 100


def has_desk(person: User) -> bool:
    """Whether the person's roles make the desk a room of theirs."""
    roles = set(RoleGrant.objects.filter(person=person, ended_at__isnull=True).values_list("role", flat=True))
    return bool(roles & {"support", *READERS}) or open_cases(person).exists()


def closed_cases(person: User) -> QuerySet[Case]:
    """The cases that were closed, the newest first, as far as the person may read them."""
    rows = visible_cases(person).filter(closed_at__isnull=False).order_by("-closed_at")
    return rows.select_related("owner", "intent__revision__contract", "intent__revision__proposal__scope")[:PAGE]


def colleagues(case: Case, proposal: Proposal, *, apart_from: User) -> QuerySet[User]:
    """Who else holds the case's role there, to hand it over to."""
    grants = RoleGrant.objects.filter(
        Q(scope__isnull=True) | Q(scope=proposal.scope),
        organization=proposal.organization,
        role=case.role,
        ended_at__isnull=True,
    )
    others = User.objects.filter(pk__in=grants.values("person"), is_active=True)
    return others.exclude(pk__in=[apart_from.pk, proposal.requester_id]).order_by("display_name", "username")
