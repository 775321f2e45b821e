"""Tells one fact, in the transaction of the fact."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import connection

from journal.digests import canonical, link, salted
from journal.kinds import Kind
from journal.models import Entry, Personal
from journal.statements import append, append_both


@dataclass(frozen=True)
class Actor:
    """Who did it: a person, an agent, a worker, an adapter, or the server itself. `id` is plain text."""

    kind: str
    id: str

    @classmethod
    def person(cls, user: Any) -> "Actor":
        """A signed-in person, by user name."""
        return cls("person", user.get_username())

    @classmethod
    def agent(cls, caller: Any) -> "Actor":
        """An agent, by name; the person it acts for stands in the entry's facts."""
        return cls("agent", caller.agent.name)

    @classmethod
    def worker(cls, name: str) -> "Actor":
        """A worker process."""
        return cls("worker", name)

    @classmethod
    def server(cls) -> "Actor":
        """The server, applying a rule nobody pressed a button for."""
        return cls("server", "countersign")


@dataclass(frozen=True)
class Head:
    """The end of a chain: the digest of its last entry (32 bytes, None while empty) and its length."""

    digest: bytes | None
    length: int


class NotInTransaction(RuntimeError):
    """A fact and its entry are written in one transaction; there was none."""


def record(
    *,
    kind: Kind,
    actor: Actor,
    organization: int,
    now: datetime,
    subjects: Mapping[str, Any] | None = None,
    facts: Mapping[str, Any] | None = None,
    chain: str | None = None,
    head: Head | None = None,
    personal: Mapping[str, Any] | None = None,
) -> Head:
    """Append one entry and return the new head of its chain.

    `head` is the present head of `chain`, read under the lock that owns it. `personal` holds words and
    names: they are kept beside the entry, bound by a salted digest, so that they can be erased.

    Raises:
        NotInTransaction: outside a transaction an entry could survive its fact, or the fact its entry.
        ValueError: a fact that has no canonical spelling.
        django.db.IntegrityError: the head was not the head any more.
    """
    if not connection.in_atomic_block:
        raise NotInTransaction(NotInTransaction.__doc__)
    salt, content = (secrets.token_bytes(16), canonical(dict(personal))) if personal else (b"", b"")
    position = (head.length if head else 0) + 1 if chain else None
    told = {
        "at": spelt(now),
        "organization": organization,
        "actor": {"kind": actor.kind, "id": actor.id},
        "kind": str(kind),
        "chain": chain,
        "position": position,
        "previous": head.digest.hex() if chain and head and head.digest else None,
        "subjects": dict(subjects or {}),
        "facts": dict(facts or {}),
        "personal": salted(salt=salt, content=content) if personal else None,
    }
    body = canonical(told)
    digest = link(body=body)
    entry = {
        "at": now,
        "organization": organization,
        "actor_kind": actor.kind,
        "actor": actor.id[:200],
        "kind": str(kind),
        "chain": chain,
        "position": position,
        "subjects": told["subjects"],
        "body": body,
        "digest": digest,
    }
    if personal:
        append_both(Entry, entry, Personal, by="entry", content=content, salt=salt)
    else:
        append(Entry, **entry)
    return Head(digest, position or 0)


def spelt(moment: datetime) -> str:
    """An instant as an entry spells it: UTC, microseconds, `Z`."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
