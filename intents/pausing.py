"""Pauses hand-over when the database is older than the epoch file beside it, until an operator lifts that.

After a restore the business systems have not gone back: what was handed over since the backup would look as if it
had not been. A file outside the database knows better. Where the file is missing although this database once had
one, nothing is known, and that pauses as well.
"""

import logging
import uuid
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connections, transaction

from intents import circuit
from intents.epochs import Epoch, Unreadable, read, write
from intents.models import Pause, Progress
from intents.moving import instant
from journal.clock import now as database_now
from journal.heads import End, end, holds
from journal.kinds import Kind
from journal.recording import Actor, record
from tenancy.models import Organization, User

log = logging.getLogger(__name__)

DUTY = "epoch"
NAMESPACE = uuid.UUID("8a6c1d5e-6f0b-5c0e-9a51-2f1d7d1f3f60")


class NotPaused(ValueError):
    """Hand-over of this organization is not paused."""


class NotCompared(ValueError):
    """What the business systems hold was not compared with the ledger yet."""


@dataclass(frozen=True)
class Doubt:
    """Why this database may be older than what was done from it; `key` is the same for every process that finds it."""

    key: uuid.UUID
    cause: str
    kept: End | None


def compare() -> bool:
    """The database is compared with the epoch file; returns whether hand-over is paused because of it, and it is then.

    An operator who lifted the pause has answered the doubt: the same one pauses nothing again.
    """
    doubt = _doubt()
    if doubt is None:
        return False
    present = dict(Pause.objects.filter(key=doubt.key).values_list("organization", "lifted_at"))
    if present and None not in present.values():
        return False
    for organization in Organization.objects.exclude(pk__in=present).order_by("pk").values_list("pk", flat=True):
        _pause(organization, doubt)
    return True


def _doubt() -> Doubt | None:
    if not settings.EPOCH_FILE:
        return None
    try:
        kept = read(Path(settings.EPOCH_FILE))
    except Unreadable as error:
        log.error("the epoch file cannot be read: %s", error)
        return Doubt(uuid.uuid5(NAMESPACE, f"unreadable {_last_kept()}"), "epoch_file_unreadable", None)
    if kept is not None:
        if holds(kept.end):
            return None
        key = uuid.uuid5(NAMESPACE, f"{kept.end.entry} {kept.end.digest}")
        return Doubt(key, "database_older_than_epoch", kept.end)
    last = _last_kept()
    return Doubt(uuid.uuid5(NAMESPACE, f"missing {last}"), "epoch_file_missing", None) if last else None


def _last_kept() -> str | None:
    return instant(Progress.objects.filter(duty=DUTY).values_list("at", flat=True).first())


def _pause(organization: int, doubt: Doubt) -> None:
    found = end()
    facts = {"kept_entry": doubt.kept.entry if doubt.kept else None, "found_entry": found.entry if found else None}
    with transaction.atomic(durable=True):
        now = database_now()
        _row, new = Pause.objects.get_or_create(
            organization_id=organization,
            key=doubt.key,
            defaults={"began_at": now, "cause": doubt.cause, "facts": facts},
        )
        if new:
            told = {"cause": doubt.cause, **facts}
            record(kind=Kind.HANDOVER_PAUSED, actor=Actor.server(), organization=organization, now=now, facts=told)
    if new:
        log.error("hand-over of organization %s is paused: %s %s", organization, doubt.cause, facts)
        _say_so_in_the_file(doubt)


def _say_so_in_the_file(doubt: Doubt) -> None:
    """For whoever looks at the file: what counts are the rows. A process may be unable to write beside itself."""
    path = Path(settings.EPOCH_FILE)
    try:
        kept = read(path)
        if kept is not None:
            write(path, kept, paused={"key": str(doubt.key), "cause": doubt.cause, "since": instant(database_now())})
    except (OSError, Unreadable) as error:
        log.warning("the epoch file could not be told of the pause: %s", type(error).__name__)


def keep() -> None:
    """The epoch file says where the journal ends now, if nothing is in doubt. Called by the sweep."""
    if not settings.EPOCH_FILE or compare():
        return
    path, newest = Path(settings.EPOCH_FILE), end()
    if newest is None or _says(path, newest):
        return
    now = database_now()
    try:
        write(path, Epoch(newest, instant(now) or ""))
    except OSError as error:
        log.error("the epoch file %s could not be written: %s", path, type(error).__name__)
        return
    Progress.objects.update_or_create(duty=DUTY, defaults={"at": now})


def _says(path: Path, newest: End) -> bool:
    try:
        kept = read(path)
    except Unreadable:
        return False
    return kept is not None and kept.end == newest


def at_start() -> None:
    """The comparison of a process that begins; one that cannot reach its database compares before it hands over."""
    try:
        compare()
    except DatabaseError as error:
        log.warning("the epoch file was not compared at start: %s", type(error).__name__)
    finally:
        connections.close_all()  # whoever forks now must not share a connection with its children


def lift(*, person: User, organization: int, reason: str) -> None:
    """Hand-over of the organization goes on. The caller has checked the person's role.

    Raises:
        NotPaused, NotCompared, ValueError: no reason was given.
    """
    if not reason.strip():
        raise ValueError("Resuming hand-over needs a reason.")
    with transaction.atomic(durable=True):
        rows = list(Pause.objects.select_for_update().filter(organization=organization, lifted_at__isnull=True))
        if not rows:
            raise NotPaused(NotPaused.__doc__)
        if any(row.compared_at is None for row in rows):
            raise NotCompared(NotCompared.__doc__)
        now = database_now()
        for row in rows:
            Pause.objects.filter(pk=row.pk).update(lifted_at=now, lifted_by=person, reason=reason.strip())
            facts = {"cause": row.cause, "reason": reason.strip(), "findings": row.findings}
            actor = Actor.person(person)
            record(kind=Kind.HANDOVER_RESUMED, actor=actor, organization=organization, now=now, facts=facts)
        circuit.wake(waiting="paused", organization=organization, system=None, now=now)
