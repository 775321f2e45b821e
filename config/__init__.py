"""The wires: settings, addresses, Celery and system checks. Nothing imports this floor."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
