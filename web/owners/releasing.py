"""What stands between a contract version and being active, for its page."""

from typing import Any

from intents import drilling
from proposals.models import ContractVersion
from proposals.publishing import OWNER
from rehearsals import clearing
from rehearsals.models import Rehearsal
from tenancy.access import roles_of
from tenancy.models import User

SHOWN = 5


def release(version: ContractVersion, reader: User) -> dict[str, Any]:
    """What the page of a contract shows of rehearsals and activation."""
    needed = [(clearing.label(need), need) for need in clearing.needs(version)]
    state = ContractVersion.State
    return {
        "needs": needed,
        "lacking": [need for _label, need in needed if not need.met],
        "rehearsals": list(Rehearsal.objects.filter(contract=version).order_by("-pk")[:SHOWN]),
        "owns": OWNER in roles_of(reader, organization=version.organization),
        "may_record": drilling.may_record(reader, version.organization),
        "may_activate": version.state in (state.DRAFT, state.REHEARSED)
        or bool(version.waiver and version.activated_at),
        "published_it": version.published_by_id == reader.pk,
    }
