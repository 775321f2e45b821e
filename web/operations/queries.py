"""What operators watch: switches, what is stuck and since when, and how much waits in the broker."""

from dataclasses import dataclass
from datetime import datetime

import redis
from django.conf import settings
from django.db.models import Count, Min, Q, QuerySet
from django.db.models.functions import Coalesce

from intents.models import Case, Circuit, Intent, Pause, Progress
from proposals.models import Proposal
from tenancy.access import organizations_with
from tenancy.models import Admission, Organization, User

QUEUES = ("handover", "probes", "sweeps")


@dataclass(frozen=True)
class Pile:
    """So many in one state, the oldest since `since`."""

    name: str
    count: int
    since: datetime | None


def organizations_of(person: User) -> QuerySet[Organization]:
    """Where the person is an operator now."""
    return organizations_with(person, roles=["operator"]).order_by("name")


def switches(organization: Organization) -> list[Admission]:
    """The organization's own switch first, then tools, then systems."""
    order = {"organization": 0, "tool": 1, "system": 2}
    rows = list(Admission.objects.filter(organization=organization).select_related("stopped_by"))
    return sorted(rows, key=lambda row: (order.get(row.subject, 9), row.name))


def piles(organization: Organization) -> list[Pile]:
    """Open work by state, with the age of the oldest."""
    intents = (
        Intent.objects.filter(organization=organization, ended_at__isnull=True)
        .values("state")
        .annotate(n=Count("pk"), since=Min("changed_at"))
    )
    waiting = Proposal.objects.filter(organization=organization, state=Proposal.State.AWAITING_APPROVAL)
    asked = waiting.aggregate(n=Count("pk"), since=Min("created_at"))
    cases = Case.objects.filter(intent__organization=organization, closed_at__isnull=True)
    open_cases = cases.aggregate(n=Count("pk"), since=Min("opened_at"))
    return [
        Pile("awaiting_approval", asked["n"], asked["since"]),
        *(Pile(row["state"], row["n"], row["since"]) for row in intents),
        Pile("open_cases", open_cases["n"], open_cases["since"]),
    ]


def stuck(organization: Organization, *, now: datetime) -> QuerySet[Intent]:
    """Orders that wait, or whose doubt is open, the oldest first; at most fifty."""
    return (
        Intent.objects.filter(organization=organization, ended_at__isnull=True)
        .filter(~Q(waiting="") | Q(state__in=["sending", "accepted", "unknown"]))
        .select_related("revision__proposal")
        .order_by(Coalesce("handed_over_at", "opened_at"))[:50]
    )


def circuits(organization: Organization) -> QuerySet[Circuit]:
    """The business systems that are left alone because they do not answer, the longest first."""
    return Circuit.objects.filter(organization=organization, opened_at__isnull=False).order_by("opened_at")


def pause(organization: Organization) -> Pause | None:
    """What keeps the organization's hand-over paused, if anything: the first that nobody lifted."""
    return Pause.objects.filter(organization=organization, lifted_at__isnull=True).order_by("began_at").first()


def queue_lengths() -> dict[str, int | None]:
    """How many messages wait in each queue of the broker; None when it does not answer."""
    client = redis.Redis.from_url(settings.REDIS_URL, socket_timeout=0.5, socket_connect_timeout=0.5)
    try:
        return {queue: int(client.llen(queue)) for queue in QUEUES}
    except (redis.RedisError, OSError):
        return dict.fromkeys(QUEUES)
    finally:
        client.close()


def last_sweep() -> datetime | None:
    """When the sweep last completed."""
    return Progress.objects.filter(duty="sweep").values_list("at", flat=True).first()
