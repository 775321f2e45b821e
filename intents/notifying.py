"""Tells webhooks of statuses, some time after they were written down: again and again until somebody listens."""

import time
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F

from intents.models import Case
from intents.notices import Fact, Notice, Telling, Webhook
from intents.statements import Status
from intents.subscribing import allowed, secret_of
from intents.telling import AGAIN_AFTER, OBSERVED, body_of, headers_of, status_of
from journal.clock import now as database_now
from journal.queries import Told, entries
from proposals.models import Proposal
from systems.adapters.sending import Exchange, Limits, exchange
from systems.addresses import UnsafeAddress
from tenancy.models import User

BATCH = 100
SECONDS = 20.0  # of one round of telling
PATIENCE = 10.0  # seconds, for one address to answer
# A notice being told is left alone by others for so long.
LEASE = timedelta(seconds=30)
GONE = 410  # "do not come again"


def write_notices() -> int:
    """Every fact that waits becomes the notices of whoever wants to be told; returns how many facts there were."""
    with transaction.atomic(durable=True):
        waiting = Fact.objects.select_for_update(skip_locked=True).order_by("entry")
        facts = list(waiting.values_list("entry", flat=True)[:BATCH])
        for told in entries(facts):
            _write(told)
        Fact.objects.filter(entry__in=facts).delete()
    return len(facts)


def _write(told: Told) -> None:
    proposal = Proposal.objects.filter(pk=int((told.chain or "P-0").removeprefix("P-"))).first()
    if proposal is None:
        return
    status = _found(told) if told.kind in OBSERVED else status_of(told.kind, told.facts)
    if status is None:
        return
    revision = int(told.subjects.get("revision") or told.facts.get("revision") or proposal.current_revision)
    for webhook in Webhook.objects.filter(agent=proposal.agent_id, ended_at__isnull=True, added_at__lte=told.at):
        before = Notice.objects.filter(webhook=webhook, proposal=proposal).order_by("-pk").first()
        if before is None or (before.status, before.revision) != (status, revision):
            Notice.objects.create(
                webhook=webhook,
                proposal=proposal,
                entry=told.id,
                revision=revision,
                status=status,
                at=told.at,
                next_try_at=database_now(),
            )


def _found(told: Told) -> Status | None:
    """An effect that was seen after its order had ended without one."""
    pk = int(str(told.subjects.get("intent", "I-0")).removeprefix("I-"))
    opened = Case.objects.filter(intent=pk, kind=Case.Kind.DIVERGED, opened_at=told.at, cause__startswith="found_on_")
    return Status.DIVERGED if opened.exists() else None


def deliver() -> int:
    """Every notice that is due is told once, as far as the time allows; returns how many were delivered."""
    end, delivered = time.monotonic() + SECONDS, 0
    while time.monotonic() < end:
        notice = _taken()
        if notice is None:
            break
        delivered += _tell(notice)
    return delivered


def _taken() -> Notice | None:
    """The notice that is longest due, and others leave it alone: no lock is held while the address is spoken to."""
    with transaction.atomic(durable=True):
        now = database_now()
        rows = Notice.objects.select_for_update(skip_locked=True, of=("self",)).select_related("webhook", "proposal")
        notice = rows.filter(state=Notice.State.WAITING, next_try_at__lte=now).order_by("next_try_at").first()
        if notice is not None:
            Notice.objects.filter(pk=notice.pk).update(next_try_at=now + LEASE, tries=F("tries") + 1)
            notice.tries += 1
    return notice


def _tell(notice: Notice, *, person: User | None = None) -> bool:
    seen = _sent(notice)
    with transaction.atomic(durable=True):
        now = database_now()
        status, fault = (seen.status, seen.fault or "") if isinstance(seen, Exchange) else (None, seen)
        took = round(1000 * seen.took) if isinstance(seen, Exchange) else 0
        Telling.objects.create(notice=notice, at=now, status=status, fault=fault, took_ms=took, person=person)
        heard = not fault and status is not None and 200 <= status < 300
        rows = Notice.objects.filter(pk=notice.pk)
        if heard:
            rows.update(state=Notice.State.DELIVERED, delivered_at=now, next_try_at=None)
        elif person is None:
            rows.filter(state=Notice.State.WAITING).update(**_later(notice, status=status, now=now))
    return heard


def _later(notice: Notice, *, status: int | None, now: datetime) -> dict[str, object]:
    if status == GONE or notice.tries > len(AGAIN_AFTER):
        return {"state": Notice.State.GIVEN_UP, "next_try_at": None}
    return {"next_try_at": now + AGAIN_AFTER[notice.tries - 1]}


def _sent(notice: Notice) -> Exchange | str:
    """What was answered, or `address` where the address may not be told any more."""
    webhook = notice.webhook
    if webhook.ended_at is not None:
        return "ended"
    try:
        address = allowed(webhook.url)
    except UnsafeAddress:
        return "address"
    body = body_of(notice.proposal.public_id, notice.status, notice.revision)
    # Whatever the name says by now: a private address is not connected to, unless an operator of the server said so.
    private = settings.WEBHOOK_ALLOW_PRIVATE
    limits = Limits(seconds=PATIENCE, connect=5.0, response_max_bytes=65_536, allow_private=private)
    headers = headers_of(notice.public_id, body, secret=secret_of(webhook), now=database_now())
    return exchange(method="POST", url=address.url, headers=headers, body=body, limits=limits)


def replay(*, person: User, notice: Notice) -> bool:
    """The notice is told once more, as it was; whether it was heard. A person asked, and the log says who."""
    return _tell(notice, person=person)
