"""Gives and ends roles. A grant is a row with who and when; ending it is written on it, and nothing is deleted."""

from datetime import datetime

from django.db import transaction

from journal.clock import now as database_now
from journal.kinds import Kind
from journal.recording import Actor, record
from tenancy.models import Organization, RoleGrant, Scope, User


def grant(
    *, actor: User | None, person: User, organization: Organization, role: str, scope: Scope | None = None
) -> RoleGrant:
    """The person holds the role there from now on; granting it twice changes nothing."""
    with transaction.atomic(durable=True):
        now = database_now()
        row, created = RoleGrant.objects.get_or_create(
            organization=organization,
            scope=scope,
            person=person,
            role=role,
            ended_at=None,
            defaults={"granted_by": actor, "granted_at": now},
        )
        if created:
            _tell(Kind.ROLE_GRANTED, actor=actor, grant=row, now=now)
    return row


def end_grant(*, actor: User, grant: RoleGrant) -> bool:
    """The person no longer holds this role; False when the grant had ended before."""
    with transaction.atomic(durable=True):
        row = RoleGrant.objects.select_for_update().get(pk=grant.pk)
        if row.ended_at:
            return False
        now = database_now()
        RoleGrant.objects.filter(pk=row.pk, ended_at__isnull=True).update(ended_at=now, ended_by=actor)
        _tell(Kind.ROLE_REMOVED, actor=actor, grant=row, now=now)
    return True


def _tell(kind: Kind, *, actor: User | None, grant: RoleGrant, now: datetime) -> None:
    record(
        kind=kind,
        actor=Actor.person(actor) if actor else Actor.server(),
        organization=grant.organization_id,
        now=now,
        subjects={"person": grant.person.get_username(), "scope": grant.scope.code if grant.scope else None},
        facts={"role": grant.role},
    )
