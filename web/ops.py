"""Operations' doors: liveness, readiness, and the calm page for a refused form."""

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import cache

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from intents.models import Progress
from journal.clock import now as database_now

_SWEEPS_MISSED = 4  # a sweep older than this many intervals means that nothing makes lost nudges certain any more


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
    """200 when database, migrations, broker and sweep all work, else 503; each part with its sentence."""
    parts = {
        "database": _asked(_database),
        "migrations": _asked(_migrations),
        "broker": _asked(_broker),
        "sweep": _asked(_sweep),
    }
    whole = all(part["ready"] for part in parts.values())
    return JsonResponse({"ready": whole, "parts": parts}, status=200 if whole else 503)


def _asked(part: Callable[[], str]) -> dict[str, bool | str | float]:
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
    last: datetime | None = Progress.objects.filter(duty="sweep").values_list("at", flat=True).first()
    if last is None:
        raise NotReady("no sweep has completed yet")
    age = (database_now() - last).total_seconds()
    if age > _SWEEPS_MISSED * settings.SWEEP_SECONDS:
        raise NotReady(f"the last sweep completed {age:.0f} s ago")
    return f"completed {age:.1f} s ago"
