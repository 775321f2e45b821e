"""Celery carries ids and nothing else; the sweeps, not the broker, are the guarantee that nothing is lost."""

import os

from celery import Celery
from celery.signals import beat_init, task_prerun, worker_init
from django.db import close_old_connections

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("countersign")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@task_prerun.connect
def drop_dead_connections(**_kwargs: object) -> None:
    """Replace a database connection that died between two tasks.

    With CELERY_DB_REUSE_MAX set, Celery keeps connections and never checks their health: without this
    a worker whose backend was terminated would fail every task for ever.
    """
    close_old_connections()


@worker_init.connect
@beat_init.connect
def compare_epoch(**_signal: object) -> None:
    """A database older than its epoch file is paused before this process takes or sends its first message."""
    from intents.pausing import at_start  # the apps are loaded only once Celery is

    at_start()
