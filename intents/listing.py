"""Lists the effects of ours that business systems hold and no order of this database knows; changes nothing.

After a restore, what was approved and handed over since the backup stands in no ledger: searching by the references
that are known cannot find it. Only references are kept of it: nobody can say any more whose organization it was.
"""

import time
import uuid
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from intents.models import Intent
from proposals.contracts import contract_of
from proposals.models import ContractVersion
from systems.adapters import registry
from systems.adapters.base import Adapter
from systems.adapters.registry import UnknownSystem

SHOWN = 50  # references kept of those that nobody knows; all of them are counted


def unheard_of(*, organization: int, since: datetime, until: datetime, seconds: float) -> dict[str, Any]:
    """What the lists of the organization's business systems hold from `since` until `until` that no order here names.

    Returns `unheard` (how many), `references` (the first of them, each with its system), and `not_listed` (operations
    whose list is not configured, broke off, or did not fit into `seconds`). Remote calls, never inside a transaction.
    """
    end, found, not_listed = time.monotonic() + seconds, [], 0
    for adapter, operation in _operations(organization):
        listing = adapter.list(operation, since=since, until=until) if time.monotonic() < end else None
        not_listed += listing is None or not listing.complete
        found += [(adapter.config.name, one.reference) for one in (listing.found if listing else ())]
    unheard = _without_order(found)
    shown = [{"system": system, "reference": reference} for system, reference in unheard[:SHOWN]]
    return {"unheard": len(unheard), "references": shown, "not_listed": not_listed}


def _operations(organization: int) -> Iterator[tuple[Adapter, str]]:
    """Every operation that a contract of the organization hands over with, once."""
    seen = set()
    for version in ContractVersion.objects.filter(organization=organization).order_by("pk").iterator():
        contract = contract_of(version)
        where = (contract.execution.system, contract.execution.operation)
        if contract.effect != "write" or where in seen:
            continue
        seen.add(where)
        try:
            yield registry.adapter(where[0]), where[1]
        except UnknownSystem:  # not configured any more: there is nobody to ask
            continue


def _without_order(found: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Those whose reference is of our kind, and of no order of any organization here."""
    ours = {reference: (system, reference) for system, reference in found if _is_ours(reference)}
    known = {str(one) for one in Intent.objects.filter(reference__in=list(ours)).values_list("reference", flat=True)}
    return sorted(pair for reference, pair in ours.items() if reference not in known)


def _is_ours(reference: str) -> bool:
    try:
        return str(uuid.UUID(reference)) == reference
    except ValueError:
        return False
