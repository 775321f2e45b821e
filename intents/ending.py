"""Ends an intent that had no effect: nothing was sent, or people established that nothing happened."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from approvals.models import Authorization
from intents.doubting import close_case
from intents.holding import Held
from intents.moving import move, tell_of
from intents.states import State
from journal.kinds import Kind
from journal.recording import Actor


def end_without_effect(
    held: Held,
    *,
    cause: str,
    actor: Actor,
    now: datetime,
    facts: Mapping[str, Any] | None = None,
    personal: Mapping[str, Any] | None = None,
) -> None:
    """The intent is void — or not executed, once it was in doubt or reopened — and its authorization with it.

    In the caller's transaction. `cause` is one word: `expired`, `revoked`, `withdrawn`, `superseded`, or what
    stopped it.
    """
    void_authorization(held, cause=cause, actor=actor, now=now)
    doubted = held.intent.reopened_at is not None or held.state is State.UNKNOWN
    move(
        held,
        to=State.NOT_EXECUTED if doubted else State.VOID,
        actor=actor,
        now=now,
        kind=Kind.OUTCOME_NOT_EXECUTED if doubted else Kind.INTENT_VOIDED,
        expected=held.state,
        fence=held.intent.attempt,
        facts={"cause": cause, **(facts or {})},
        personal=personal,
        cause=cause,
    )
    close_case(held, how=State.NOT_EXECUTED, actor=actor, now=now)


def void_authorization(held: Held, *, cause: str, actor: Actor, now: datetime) -> None:
    """The authorization gives leave to nothing any more."""
    live = Authorization.objects.filter(pk=held.authorization.pk, voided_at__isnull=True)
    if live.update(voided_at=now, cause=cause):
        held.authorization.voided_at, held.authorization.cause = now, cause
        facts = {"authorization": held.authorization.pk, "cause": cause}
        tell_of(held, kind=Kind.AUTHORIZATION_VOIDED, actor=actor, now=now, facts=facts)
