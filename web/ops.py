"""Operations' doors: liveness, readiness, and the calm page for a refused form."""

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import cache
from typing import TypeAlias

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from intents.models import Intent, Pause, Progress
from intents.states import State
from journal.clock import now as database_now
from web.readiness import Aside

Part: TypeAlias = dict[str, bool | str | float]

_PATIENCE = 2.0  # seconds; what asks for readiness seldom waits longer itself
_MISSED = 4  # progress older than this many intervals of the sweep is none any more


class NotReady(Exception):
    """One part is not ready; the text is a sentence for an operator."""


def refused_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a POST without a valid CSRF token: 403, and nothing was changed."""
    return render(request, "refused_form.html", status=403)


@never_cache
@require_safe
def live(request: HttpRequest) -> JsonResponse:
    """200 while this process answers at all."""
    return JsonResponse({"live": True})


@never_cache
@require_safe
def ready(request: HttpRequest) -> JsonResponse:
    """200 when database, migrations, broker, sweep and the workers all work, else 503; each part with its sentence."""
    try:
        parts = _kept_in_the_database.ask()
    except TimeoutError:
        silent: Part = {"ready": False, "says": f"no answer within {_PATIENCE:g} s", "took_ms": _PATIENCE * 1000}
        parts = dict.fromkeys(_IN_THE_DATABASE, silent)
    parts = {**parts, "broker": _asked(_broker)}
    whole = all(part["ready"] for part in parts.values())
    return JsonResponse({"ready": whole, "parts": parts}, status=200 if whole else 503)


def _asked(part: Callable[[], str]) -> Part:
    started = time.monotonic()
    try:
        ready, says = True, part()
    except NotReady as error:
        ready, says = False, str(error)
    except (DatabaseError, redis.RedisError, OSError) as error:
        # The class alone: an address or a password in the text is nobody's business here.
        ready, says = False, f"not reachable ({type(error).__name__})"
    return {"ready": ready, "says": says, "took_ms": round((time.monotonic() - started) * 1000, 1)}


def _database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return "answers"


@cache
def _migrations() -> str:
    """Kept once it is true: this code's migrations are not taken back while it runs; a failure is asked again."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise NotReady("some migrations are not applied")
    return "all applied"


def _broker() -> str:
    client = redis.Redis.from_url(settings.REDIS_URL, socket_timeout=0.5, socket_connect_timeout=0.5)
    try:
        client.ping()
    finally:
        with suppress(redis.RedisError):
            client.close()
    return "answers"


def _sweep() -> str:
    age = _age("sweep", never="no sweep has completed yet")
    if age > _MISSED * settings.SWEEP_SECONDS:
        raise NotReady(f"the last sweep completed {age:.0f} s ago")
    return f"completed {age:.1f} s ago"


def _handover() -> str:
    age = _age("handover", never="no worker has taken a hand-over's message yet")
    if age <= _MISSED * settings.SWEEP_SECONDS:
        return f"a worker took a message {age:.1f} s ago"
    # All of them may be waiting for answers, each no longer than its deadline: that is work as well.
    if Intent.objects.filter(state=State.SENDING, deadline__gt=database_now()).exists():
        return f"orders are on their way; a worker took a message {age:.0f} s ago"
    raise NotReady(f"no worker has taken a hand-over's message for {age:.0f} s: orders wait")


def _probes() -> str:
    age = _age("probes", never="no worker has taken a probe's message yet")
    if age > _MISSED * settings.SWEEP_SECONDS:
        raise NotReady(f"no worker has taken a probe's message for {age:.0f} s: nobody looks for effects")
    return f"a worker took a message {age:.1f} s ago"


def _pause() -> str:
    """Told, and no reason to send nobody here: pages, answers and reconciliation all work while hand-over is paused."""
    paused = Pause.objects.filter(lifted_at__isnull=True).values("organization").distinct().count()
    if paused:
        return f"hand-over is paused in {paused} organization{'s' * (paused > 1)}: see /operations/"
    return "not paused" if settings.EPOCH_FILE else "not paused; no EPOCH_FILE is set, so a restore is not noticed"


def _age(duty: str, *, never: str) -> float:
    last: datetime | None = Progress.objects.filter(duty=duty).values_list("at", flat=True).first()
    if last is None:
        raise NotReady(never)
    return (database_now() - last).total_seconds()


_IN_THE_DATABASE: dict[str, Callable[[], str]] = {
    "database": _database,
    "migrations": _migrations,
    "sweep": _sweep,
    "handover": _handover,
    "probes": _probes,
    "pause": _pause,
}
_kept_in_the_database = Aside(
    lambda: {name: _asked(part) for name, part in _IN_THE_DATABASE.items()}, seconds=_PATIENCE
)
