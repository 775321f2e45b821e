"""Observing a target on a requester's behalf: what lies outside their scopes does not exist."""

from dataclasses import dataclass

from django.db import connections

from systems.adapters.base import Missing, Observation, Unreachable
from systems.adapters.registry import adapter


@dataclass(frozen=True)
class NotAvailable:
    """There is no such target for this requester. The reason is for operators: the caller answers the same bytes."""

    technical_reason: str


def observe(
    *, system: str, operation: str, target: str | None, scopes: frozenset[str]
) -> Observation | NotAvailable | Unreachable:
    """The target as its system shows it now, when it lies in one of `scopes` (the system's own establishment codes).

    One remote call in every case, so that foreign and missing targets cost the same; `target` is None only for an
    operation without target, whose answer belongs to no scope. Raises RuntimeError inside a transaction, and
    UnknownSystem for a system or an operation that no file configures.
    """
    require_no_transaction()
    seen = adapter(system).resolve(operation, target)
    if isinstance(seen, Missing):
        return NotAvailable(seen.reason)
    if isinstance(seen, Observation) and target is not None and seen.scope not in scopes:
        return NotAvailable("The target lies outside the requester's scopes.")
    return seen


def require_no_transaction() -> None:
    """Raises RuntimeError inside a transaction: a slow business system must never hold a lock of ours."""
    if any(connection.in_atomic_block for connection in connections.all(initialized_only=True)):
        raise RuntimeError("A business system is never called inside a transaction.")
