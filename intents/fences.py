"""Which intent holds an object, seen by one that wants to act on it: a compensation passes the case it names."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Q

from intents.holding import Held
from intents.models import Case, Intent
from intents.states import FENCING, State
from proposals.contracts import contract_of

IN_DOUBT = Q(fence_lifted_at__isnull=True) & (
    Q(state__in=[state.value for state in FENCING]) | Q(state=State.READY, reopened_at__isnull=False)
)
OPEN_CASE = Q(fence_lifted_at__isnull=True, cases__isnull=False, cases__closed_at__isnull=True)


def holder_for(held: Held) -> str | None:
    """The public id of the intent that stands in the way (`I-41`), or None."""
    rows = _holders(held).select_related("revision__contract")
    blocking = next((row for row in rows if not _compensated_by(held, row)), None)
    return blocking.public_id if blocking else None


def _holders(held: Held) -> Any:
    intent = held.intent
    same_object = Intent.objects.filter(
        organization=intent.organization_id, system=intent.system, target=intent.target, target__isnull=False
    )
    return same_object.filter(IN_DOUBT | OPEN_CASE).exclude(pk=intent.pk).order_by("pk").distinct()


def _compensated_by(held: Held, other: Intent) -> bool:
    """Whether this is the compensation of a diverged effect: the declared tool, naming that effect's reference."""
    if other.state not in (State.DIVERGED, State.CONFIRMED, State.NOT_EXECUTED, State.VOID, State.REFUSED):
        return False
    contract = contract_of(other.revision.contract)
    if contract.execution.compensation != held.intent.tool:
        return False
    if not Case.objects.filter(intent=other, kind=Case.Kind.DIVERGED, closed_at__isnull=True).exists():
        return False
    named = [check.field for check in contract.effect_to_verify if check.rule == "present"]
    return any(_names(effect, named, held.arguments) for effect in effects_of(other))


def effects_of(intent: Intent) -> list[Mapping[str, Any]]:
    """The fields of every effect that evidence of an intent has shown."""
    shown: list[Mapping[str, Any]] = []
    for fields in intent.evidence.filter(verdict__in=["proves", "contradicts"]).values_list("fields", flat=True):
        shown.extend(fields.get("effects") or [fields])
    return shown


def _names(effect: Mapping[str, Any], fields: list[str], arguments: Mapping[str, Any]) -> bool:
    return any(name in arguments and effect.get(name) == arguments[name] for name in fields)
