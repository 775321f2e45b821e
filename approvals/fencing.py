"""Who holds an object: the intent whose outcome on it is in doubt, or whose case is still open."""

from django.db.models import Q

from proposals.models import Revision
from tenancy.models import Organization

# The intents stand one floor up, so they are asked for through the relation they declare on their revision.
# A test holds these states equal to intents.states.FENCING and to the partial unique index.
FENCING = ("sending", "accepted", "unknown", "reopened")

_IN_DOUBT = Q(intent__fence_lifted_at__isnull=True) & (
    Q(intent__state__in=FENCING) | Q(intent__state="ready", intent__reopened_at__isnull=False)
)
_OPEN_CASE = Q(intent__cases__isnull=False, intent__cases__closed_at__isnull=True, intent__fence_lifted_at__isnull=True)


def holder(*, organization: Organization, system: str, target: str | None, apart_from: int | None = None) -> str | None:
    """The public id of the intent that holds the object (`I-41`), or None; `apart_from` is a revision's id."""
    if target is None:
        return None
    rows = Revision.objects.filter(_IN_DOUBT | _OPEN_CASE).filter(
        intent__organization=organization, intent__system=system, intent__target=target
    )
    rows = rows if apart_from is None else rows.exclude(pk=apart_from)
    held = rows.order_by("intent__pk").values_list("intent__pk", flat=True).first()
    return f"I-{held}" if held else None
