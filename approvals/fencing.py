"""Who holds an object: the intent whose outcome on it is in doubt, or whose case is still open.

A compensation passes the case it names, at submission as at hand-over, whatever its contract says of fences.
"""

from collections.abc import Mapping
from typing import Any

from django.db.models import Q

from journal.reads import Read, listed
from proposals.contracts import contract_of
from proposals.models import Revision
from tenancy.models import Organization

# The intents stand one floor up, so they are asked for through the relation they declare on their revision.
# A test holds these states equal to intents.states.FENCING and to the partial unique index.
FENCING = ("sending", "accepted", "unknown", "reopened")
ENDED = ("confirmed", "refused", "diverged", "not_executed", "void")

_IN_DOUBT = Q(intent__fence_lifted_at__isnull=True) & (
    Q(intent__state__in=FENCING) | Q(intent__state="ready", intent__reopened_at__isnull=False)
)
_OPEN_CASE = Q(intent__cases__isnull=False, intent__cases__closed_at__isnull=True, intent__fence_lifted_at__isnull=True)


def is_held(*, organization: Organization, system: str, target: str | None) -> Read:
    """Whether any intent holds the object, as part of one statement; `holder` tells which, and of whom. A test holds
    the two equal.
    """
    return Read(
        """SELECT EXISTS (SELECT 1 FROM intents_intent held
           WHERE held.organization_id = %s AND held.system = %s AND held.target = %s AND held.fence_lifted_at IS NULL
             AND (held.state = ANY(%s::text[]) OR (held.state = 'ready' AND held.reopened_at IS NOT NULL)
                  OR EXISTS (SELECT 1 FROM intents_case WHERE intent_id = held.id AND closed_at IS NULL)))""",
        (organization.pk, system, target, listed(FENCING)),
    )


def holder(
    *,
    organization: Organization,
    system: str,
    target: str | None,
    apart_from: int | None = None,
    tool: str = "",
    arguments: Mapping[str, Any] | None = None,
) -> str | None:
    """The public id of the intent that holds the object (`I-41`), or None; `apart_from` is a revision's id.

    `tool` and `arguments` are those of whoever asks: the declared compensation that names an effect is not held by it.
    """
    if target is None:
        return None
    rows = Revision.objects.filter(_IN_DOUBT | _OPEN_CASE).filter(
        intent__organization=organization, intent__system=system, intent__target=target
    )
    rows = rows if apart_from is None else rows.exclude(pk=apart_from)
    for row in rows.select_related("contract", "intent").order_by("intent__pk").distinct():
        held: Any = row.intent
        if not compensates(tool, arguments or {}, row, held):
            return f"I-{held.pk}"
    return None


def compensates(tool: str, arguments: Mapping[str, Any], revision: Revision, intent: Any) -> bool:
    """Whether this call undoes a differing effect of the intent: the declared tool, naming the effect's reference."""
    contract = contract_of(revision.contract)
    if intent.state not in ENDED or not tool or contract.execution.compensation != tool:
        return False
    if not intent.cases.filter(kind="diverged", closed_at__isnull=True).exists():
        return False
    named = [check.field for check in contract.effect_to_verify if check.rule == "present"]
    return any(
        name in arguments and effect.get(name) == arguments[name] for effect in effects_of(intent) for name in named
    )


def effects_of(intent: Any) -> list[Mapping[str, Any]]:
    """The fields of every effect that evidence of an intent has shown."""
    shown: list[Mapping[str, Any]] = []
    for fields in intent.evidence.filter(verdict__in=["proves", "contradicts"]).values_list("fields", flat=True):
        shown.extend(fields.get("effects") or [fields])
    return shown
