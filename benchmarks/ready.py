"""Imported by a Celery worker (`--include`): says `ready.` once it takes work, without logging every task as INFO."""

from celery.signals import worker_ready


@worker_ready.connect
def say_so(**_signal: object) -> None:
    """The stage waits for this word."""
    print("ready.", flush=True)
