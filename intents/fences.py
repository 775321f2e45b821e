"""Which intent holds an object, seen by one that wants to act on it: a compensation passes the case it names."""

from typing import Any

from django.db.models import Q

from approvals.fencing import compensates
from intents.holding import Held
from intents.models import Intent
from intents.states import FENCING, State

IN_DOUBT = Q(fence_lifted_at__isnull=True) & (
    Q(state__in=[state.value for state in FENCING]) | Q(state=State.READY, reopened_at__isnull=False)
)
OPEN_CASE = Q(fence_lifted_at__isnull=True, cases__isnull=False, cases__closed_at__isnull=True)


def holder_for(held: Held) -> str | None:
    """The public id of the intent that stands in the way (`I-41`), or None."""
    for other in _holders(held).select_related("revision__contract"):
        if not compensates(held.intent.tool, held.arguments, other.revision, other):
            return str(other.public_id)
    return None


def _holders(held: Held) -> Any:
    intent = held.intent
    same_object = Intent.objects.filter(
        organization=intent.organization_id, system=intent.system, target=intent.target, target__isnull=False
    )
    return same_object.filter(IN_DOUBT | OPEN_CASE).exclude(pk=intent.pk).order_by("pk").distinct()
