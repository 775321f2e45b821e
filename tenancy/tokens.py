"""Mints, recognises and revokes agents' tokens. The secret is shown once; only its hash is kept."""

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime

from django.db import connection, transaction

from journal.clock import now as database_now
from journal.kinds import Kind
from journal.recording import Actor, record
from tenancy.access import Caller
from tenancy.models import Agent, AgentToken, Scope, User

PREFIX = "cs_"
_USE_RECORDED_EVERY = 30.0  # seconds


def _hash(secret: str) -> bytes:
    # A 256-bit random secret needs no slow hash: there is nothing to guess.
    return hashlib.sha256(secret.encode()).digest()


def mint(
    *,
    actor: User | None,
    agent: Agent,
    on_behalf_of: User,
    scopes: Iterable[Scope],
    expires_at: datetime,
    tools: Iterable[str] | None = None,
) -> tuple[AgentToken, str]:
    """A new token exists for the agent, acting for the person within the limits given. Returns it and its secret."""
    secret = PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic(durable=True):
        token = AgentToken.objects.create(
            agent=agent,
            on_behalf_of=on_behalf_of,
            hash=_hash(secret),
            prefix=secret[:8],
            tools=sorted(tools) if tools is not None else None,
            expires_at=expires_at,
        )
        token.scopes.set(scopes)
        _tell(Kind.TOKEN_MINTED, actor=actor, token=token, now=database_now())
    return token, secret


def authenticate(secret: str) -> Caller | None:
    """Return who calls, or None: unknown, expired, revoked, disabled agent or inactive person, all alike."""
    if not secret.startswith(PREFIX) or len(secret) > 100:
        return None
    token = (
        AgentToken.objects.select_related("agent__organization", "on_behalf_of")
        .prefetch_related("scopes")
        .filter(hash=_hash(secret), revoked_at__isnull=True, expires_at__gt=database_now())
        .filter(agent__disabled_at__isnull=True, on_behalf_of__is_active=True)
        .first()
    )
    if token is None:
        return None
    return Caller(
        token=token,
        agent=token.agent,
        person=token.on_behalf_of,
        organization=token.agent.organization,
        scopes=tuple(sorted(token.scopes.all(), key=lambda scope: scope.code)),
        tools=frozenset(token.tools) if token.tools is not None else None,
    )


def touch(token: AgentToken) -> None:
    """Remember that the token was used, at most every 30 s, without waiting for anyone."""
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO tenancy_tokenuse (token_id, last_used_at) VALUES (%s, clock_timestamp())
               ON CONFLICT (token_id) DO UPDATE SET last_used_at = excluded.last_used_at
               WHERE tenancy_tokenuse.last_used_at < excluded.last_used_at - make_interval(secs => %s)""",
            [token.pk, _USE_RECORDED_EVERY],
        )


def revoke(*, actor: User, token: AgentToken) -> bool:
    """The token opens nothing from now on; False when it was revoked before."""
    with transaction.atomic(durable=True):
        row = AgentToken.objects.select_for_update().get(pk=token.pk)
        if row.revoked_at:
            return False
        now = database_now()
        AgentToken.objects.filter(pk=row.pk, revoked_at__isnull=True).update(revoked_at=now, revoked_by=actor)
        _tell(Kind.TOKEN_REVOKED, actor=actor, token=row, now=now)
    return True


def disable(*, actor: User, agent: Agent) -> bool:
    """The agent, with all its tokens, opens nothing from now on; False when it was disabled before."""
    with transaction.atomic(durable=True):
        row = Agent.objects.select_for_update().get(pk=agent.pk)
        if row.disabled_at:
            return False
        now = database_now()
        Agent.objects.filter(pk=row.pk, disabled_at__isnull=True).update(disabled_at=now, disabled_by=actor)
        record(
            kind=Kind.AGENT_DISABLED,
            actor=Actor.person(actor),
            organization=row.organization_id,
            now=now,
            subjects={"agent": row.name},
        )
    return True


def _tell(kind: Kind, *, actor: User | None, token: AgentToken, now: datetime) -> None:
    record(
        kind=kind,
        actor=Actor.person(actor) if actor else Actor.server(),
        organization=token.agent.organization_id,
        now=now,
        subjects={"agent": token.agent.name, "token": token.pk, "person": token.on_behalf_of.get_username()},
        facts={"prefix": token.prefix, "tools": token.tools},
    )
