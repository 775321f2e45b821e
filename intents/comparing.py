"""Compares what the business systems hold with the ledger, before a pause after a restore may be lifted.

Every intent that may have been handed over unknown to this database is searched by its own reference. What is found is
evidence like any other: it settles an order that looks unsent, and opens a case on one that was thought without
effect. Then the business systems' own lists are asked for effects that no order here knows. Nothing is ever sent. A
comparison goes on where the last one stopped, within the seconds it is given.
"""

import time
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from intents.doubting import searchable
from intents.establishing import MOVED_BY, Seen, keep, learn, settle
from intents.evidence import Verdict
from intents.holding import glance, hold
from intents.listing import unheard_of
from intents.models import Intent, Pause
from intents.searching import search
from intents.states import State
from journal.clock import now as database_now
from journal.recording import Actor
from tenancy.models import User

BACK = timedelta(days=7)  # how far back an end without effect is asked again
OPEN = (State.READY, State.SENDING, State.ACCEPTED, State.UNKNOWN, State.REOPENED)
WITHOUT_EFFECT = (State.VOID, State.NOT_EXECUTED, State.REFUSED)


def compare_with_targets(*, person: User, pause: Pause, seconds: float = 20.0) -> dict[str, Any]:
    """As many intents as the time allows are compared; returns the counts so far, kept with the pause.

    Counts: `searched`, `found`, `nothing_found`, `failed`, `not_searchable`, `left` and, once nothing is left, those of
    `listing.unheard_of`. The pause may be lifted then. Remote calls, so never inside a transaction.
    """
    before = pause.findings if pause.findings.get("left") else {}
    counts: Counter[str] = Counter({name: value for name, value in before.items() if name not in ("last", "left")})
    last, end = int(before.get("last", 0)), time.monotonic() + seconds
    for pk in _to_compare(pause).filter(pk__gt=last).values_list("pk", flat=True).iterator():
        if time.monotonic() >= end:
            break
        counts[_compared(pk, Actor.person(person))] += 1
        last = pk
    left = _to_compare(pause).filter(pk__gt=last).count()
    findings: dict[str, Any] = {**counts, "last": last, "left": left}
    now = database_now() if not left else None
    if now is not None:
        span = {"since": pause.began_at - BACK, "until": now}
        findings |= unheard_of(organization=pause.organization_id, seconds=seconds, **span)
    Pause.objects.filter(pk=pause.pk, lifted_at__isnull=True).update(findings=findings, compared_at=now)
    return findings


def _to_compare(pause: Pause) -> QuerySet[Intent]:
    lately = Q(state__in=WITHOUT_EFFECT, ended_at__gte=pause.began_at - BACK)
    return Intent.objects.filter(Q(state__in=OPEN) | lately, organization=pause.organization_id).order_by("pk")


def _compared(intent_id: int, actor: Actor) -> str:
    held = glance(intent_id)
    if not searchable(held):
        return "not_searchable"
    seen = search(held, attempt=held.intent.attempt)
    if seen.judgement.because == "search_failed":
        return "failed"
    if seen.judgement.because == "incomplete":  # an effect that carries our reference exists, whatever it lacks
        seen = replace(seen, judgement=replace(seen.judgement, verdict=Verdict.CONTRADICTS))
    if seen.judgement.verdict not in MOVED_BY:
        return "nothing_found"
    _take_in(intent_id, seen, actor)
    return "found"


def _take_in(intent_id: int, seen: Seen, actor: Actor) -> None:
    with transaction.atomic(durable=True):
        held, now = hold(intent_id), database_now()
        if held.state is State.READY:  # by this ledger it was never handed over, and yet here is its effect
            settle(
                held, keep(held, seen, actor=actor, now=now), to=MOVED_BY[seen.judgement.verdict], actor=actor, now=now
            )
        else:
            learn(held, seen, actor=actor, now=now)
