"""The switches that stop new work at once: for an organization, a tool or a business system in it.

Obeyed at submission, at signature and at hand-over. What was handed over goes on being reconciled.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction
from django.db.models import Q

from journal.clock import now as database_now
from journal.kinds import Kind
from journal.recording import Actor, record
from tenancy.models import Admission, Organization, User


@dataclass(frozen=True)
class Stop:
    """A stop in force. `until` is None when only a person ends it."""

    subject: str
    name: str
    reason: str
    until: datetime | None


class UnknownSwitch(LookupError):
    """There is no such switch in this organization."""


class AlreadySo(ValueError):
    """It is already stopped, or already open."""


def ensure_switch(*, organization: Organization, subject: str, name: str = "") -> None:
    """A switch exists for the subject, open unless somebody stopped it."""
    Admission.objects.bulk_create(
        [Admission(organization=organization, subject=subject, name=name)], ignore_conflicts=True
    )


def stopped(
    *, organization: Organization, tool: str, system: str | None, now: datetime, lock: bool = False
) -> Stop | None:
    """Return the stop in force for this tool in this system, if any; with `lock`, hold the switches still."""
    subjects = Q(subject=Admission.Subject.ORGANIZATION, name="") | Q(subject=Admission.Subject.TOOL, name=tool)
    if system:
        subjects |= Q(subject=Admission.Subject.SYSTEM, name=system)
    rows = Admission.objects.filter(subjects, organization=organization)
    if lock:
        sql, params = rows.order_by("pk").values("pk").query.sql_with_params()
        with connection.cursor() as cursor:
            cursor.execute(f"{sql} FOR SHARE", params)
    in_force = rows.filter(stopped_at__isnull=False).exclude(stopped_until__lte=now).order_by("pk").first()
    if in_force is None:
        return None
    return Stop(in_force.subject, in_force.name, in_force.reason, in_force.stopped_until)


def stop(
    *,
    actor: User,
    organization: Organization,
    subject: str,
    reason: str,
    name: str = "",
    until: datetime | None = None,
) -> None:
    """Nothing new is admitted for the subject from now on. The caller has checked the actor's role.

    Raises:
        UnknownSwitch, AlreadySo, ValueError: no reason was given.
    """
    if not reason.strip():
        raise ValueError("A stop needs a reason.")
    with transaction.atomic(durable=True):
        row = _locked(organization=organization, subject=subject, name=name)
        now = database_now()
        if row.stopped_at and (row.stopped_until is None or row.stopped_until > now):
            raise AlreadySo(AlreadySo.__doc__)
        Admission.objects.filter(pk=row.pk).update(
            stopped_at=now, stopped_by=actor, stopped_until=until, reason=reason.strip()
        )
        facts = {"reason": reason.strip(), "until": until.isoformat() if until else None}
        _tell(Kind.ADMISSIONS_STOPPED, actor=actor, row=row, now=now, facts=facts)


def resume(*, actor: User, organization: Organization, subject: str, name: str = "") -> None:
    """The subject admits new work again.

    Raises:
        UnknownSwitch, AlreadySo.
    """
    with transaction.atomic(durable=True):
        row = _locked(organization=organization, subject=subject, name=name)
        if not row.stopped_at:
            raise AlreadySo(AlreadySo.__doc__)
        now = database_now()
        Admission.objects.filter(pk=row.pk).update(stopped_at=None, stopped_by=None, stopped_until=None, reason="")
        _tell(Kind.ADMISSIONS_RESUMED, actor=actor, row=row, now=now, facts={})


def _locked(*, organization: Organization, subject: str, name: str) -> Admission:
    row = Admission.objects.select_for_update().filter(organization=organization, subject=subject, name=name).first()
    if row is None:
        raise UnknownSwitch(UnknownSwitch.__doc__)
    return row


def _tell(kind: Kind, *, actor: User, row: Admission, now: datetime, facts: dict[str, str | None]) -> None:
    record(
        kind=kind,
        actor=Actor.person(actor),
        organization=row.organization_id,
        now=now,
        subjects={"subject": row.subject, "name": row.name},
        facts=facts,
    )
