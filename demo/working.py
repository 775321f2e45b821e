"""The Celery app of the demo's workers: the processes of their pools end with them, whatever ends a worker."""

import os
import signal

from celery.signals import worker_process_init

from config.celery import app
from demo.children import die_with_parent

__all__ = ["app"]


@worker_process_init.connect
def end_with_the_worker(**_signal: object) -> None:
    """A pool whose worker was killed may wait for ever for its next task. What one of them was sending is in doubt."""
    die_with_parent(signal.SIGKILL)
    if os.getppid() == 1:  # the worker died before the line above
        os._exit(1)
