"""Adds and ends webhooks. The secret is shown once: it is derived from the server's own key, and kept nowhere."""

import base64
import hashlib
import hmac
import secrets
from datetime import datetime

from django.conf import settings
from django.db import IntegrityError, transaction

from intents.notices import Webhook
from journal.clock import now as database_now
from journal.kinds import Kind
from journal.recording import Actor, record
from systems.addresses import BaseAddress, base_address
from tenancy.models import Agent, User


class AlreadyTold(ValueError):
    """This address is told of this agent's proposals already."""


def allowed(url: str) -> BaseAddress:
    """The address, if an operator of the server allowed its host (WEBHOOK_HOSTS); raises UnsafeAddress."""
    return base_address(url, hosts=frozenset(settings.WEBHOOK_HOSTS), allow_private=settings.WEBHOOK_ALLOW_PRIVATE)


def add(*, actor: User | None, agent: Agent, url: str) -> tuple[Webhook, str]:
    """The address is told of every status of the agent's proposals from now on. Returns it and its secret.

    Raises:
        UnsafeAddress, AlreadyTold.
    """
    address = allowed(url)
    salt = secrets.token_bytes(32)
    try:
        with transaction.atomic(durable=True):
            now = database_now()
            webhook = Webhook.objects.create(agent=agent, url=address.url, salt=salt, added_at=now, added_by=actor)
            _tell(Kind.WEBHOOK_ADDED, actor=actor, webhook=webhook, now=now)
    except IntegrityError as error:
        raise AlreadyTold(AlreadyTold.__doc__) from error
    return webhook, secret_of(webhook)


def end(*, actor: User, webhook: Webhook) -> bool:
    """The address is told of nothing more; False when it was ended before."""
    with transaction.atomic(durable=True):
        row = Webhook.objects.select_for_update(of=("self",)).select_related("agent").get(pk=webhook.pk)
        if row.ended_at:
            return False
        now = database_now()
        Webhook.objects.filter(pk=row.pk).update(ended_at=now, ended_by=actor)
        _tell(Kind.WEBHOOK_ENDED, actor=actor, webhook=row, now=now)
    return True


def secret_of(webhook: Webhook) -> str:
    """`whsec_` and base64. Whoever changes SECRET_KEY changes every secret."""
    key = hmac.new(settings.SECRET_KEY.encode(), b"webhook:" + bytes(webhook.salt), hashlib.sha256).digest()
    return "whsec_" + base64.b64encode(key).decode()


def _tell(kind: Kind, *, actor: User | None, webhook: Webhook, now: datetime) -> None:
    record(
        kind=kind,
        actor=Actor.person(actor) if actor else Actor.server(),
        organization=webhook.agent.organization_id,
        now=now,
        subjects={"agent": webhook.agent.name, "webhook": webhook.pk},
        facts={"url": webhook.url},
    )
