"""Mints, recognises and revokes agents' tokens. The secret is shown once; only its hash is kept."""

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime
from functools import cache
from typing import Any

from django.db import connection, transaction
from django.db.models import Model

from journal.clock import now as database_now
from journal.kinds import Kind
from journal.reads import numbered
from journal.recording import Actor, record, spelt
from journal.statements import say
from tenancy.access import Caller
from tenancy.models import Agent, AgentToken, Organization, Scope, User

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
    found = say(numbered(_statement()), [_USE_RECORDED_EVERY, _hash(secret)])
    if not found:
        return None
    *columns, scopes, used_lately = found[0]
    token, agent, organization, person = _instances(columns)
    token.agent, token.on_behalf_of, agent.organization = agent, person, organization
    return Caller(
        token=token,
        agent=agent,
        person=person,
        organization=organization,
        scopes=tuple(sorted(map(_scope, scopes), key=lambda scope: scope.code)),
        tools=frozenset(token.tools) if token.tools is not None else None,
        used_lately=used_lately,
    )


_READ: tuple[tuple[str, type[Model]], ...] = (
    ("token", AgentToken),
    ("agent", Agent),
    ("organization", Organization),
    ("person", User),
)


@cache
def _fields(model: type[Model]) -> list[str]:
    return [field.attname for field in model._meta.concrete_fields if field.attname not in ("password", "hash")]


@cache
def _statement() -> str:
    """One round trip for each request: whatever an agent asks begins here."""
    columns = ", ".join(f"{alias}.{name}" for alias, model in _READ for name in _fields(model))
    return f"""
        SELECT {columns},
               (SELECT coalesce(json_agg(scope), '[]') FROM tenancy_scope scope
                JOIN tenancy_agenttoken_scopes within ON within.scope_id = scope.id
                WHERE within.agenttoken_id = token.id),
               EXISTS (SELECT 1 FROM tenancy_tokenuse used WHERE used.token_id = token.id
                       AND used.last_used_at >= clock_timestamp() - make_interval(secs => %s))
        FROM tenancy_agenttoken token
        JOIN tenancy_agent agent ON agent.id = token.agent_id
        JOIN tenancy_organization organization ON organization.id = agent.organization_id
        JOIN tenancy_user person ON person.id = token.on_behalf_of_id
        WHERE token.hash = %s AND token.revoked_at IS NULL AND token.expires_at > clock_timestamp()
          AND agent.disabled_at IS NULL AND person.is_active"""  # noqa: S608  columns of our own models


def _scope(row: dict[str, Any]) -> Scope:
    names = _fields(Scope)
    return Scope.from_db("default", names, [row[name] for name in names])


def _instances(columns: list[Any]) -> list[Any]:
    made = []
    for _alias, model in _READ:
        names = _fields(model)
        made.append(model.from_db("default", names, columns[: len(names)]))
        columns = columns[len(names) :]
    return made


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
        facts={
            "prefix": token.prefix,
            "tools": token.tools,
            "scopes": sorted(token.scopes.values_list("code", flat=True)),
            "expires_at": spelt(token.expires_at),
        },
    )
