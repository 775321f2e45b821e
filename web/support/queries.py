"""What the desk's list needs beside intents.queries: closed cases, shared causes, and colleagues."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet

from intents.models import Case
from intents.queries import READERS, DeskRow, open_cases
from proposals.models import Proposal
from tenancy.models import RoleGrant, User

PAGE = 100
OUTAGE = 3  # so many cases of one cause in one system are one event, shown once above the list


@dataclass(frozen=True)
class Outage:
    """Many cases with one cause in one business system."""

    system: str
    cause: str
    count: int


def has_desk(person: User) -> bool:
    """Whether the person's roles make the desk a room of theirs."""
    roles = set(RoleGrant.objects.filter(person=person, ended_at__isnull=True).values_list("role", flat=True))
    return bool(roles & {"support", *READERS}) or open_cases(person).exists()


def closed_cases(person: User) -> QuerySet[Case]:
    """The cases that were closed, the newest first, as far as the person may read them."""
    grants = RoleGrant.objects.filter(
        Q(scope__isnull=True) | Q(scope=OuterRef("intent__revision__proposal__scope")),
        Q(role=OuterRef("role")) | Q(role__in=READERS),
        organization=OuterRef("intent__organization"),
        person=person,
        person__is_active=True,
        ended_at__isnull=True,
    )
    rows = Case.objects.filter(Exists(grants), closed_at__isnull=False).order_by("-closed_at")
    return rows.select_related("owner", "intent__revision__contract", "intent__revision__proposal__scope")[:PAGE]


def outages(rows: Iterable[DeskRow]) -> list[Outage]:
    """Causes that many cases share: an outage is one banner, not forty alarms."""
    causes = Counter((row.intent.system, row.case.cause) for row in rows if row.case.kind == Case.Kind.UNKNOWN)
    return [Outage(system, cause, n) for (system, cause), n in causes.most_common() if n >= OUTAGE]


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
