"""Nudges a task once the transaction is committed. It makes things quick; the sweeps make them certain."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from celery import current_app
from django.db import transaction

_QUIET: ContextVar[bool] = ContextVar("quiet", default=False)


@contextmanager
def quiet() -> Iterator[None]:
    """Nobody is nudged meanwhile from this context: who rehearses does every step, with the wire of the rehearsal."""
    token = _QUIET.set(True)
    try:
        yield
    finally:
        _QUIET.reset(token)


def nudge(task_name: str, *args: int) -> None:
    """The task is asked to run after this transaction commits; a nudge that cannot be published is let be."""
    if _QUIET.get():
        return
    # robust: a broker that is down is logged and never turns a committed decision into an error.
    # A lambda, not a partial: Django names a robust callback that fails by its __qualname__, which a partial lacks.
    transaction.on_commit(lambda: _publish(task_name, args), robust=True)


def _publish(task_name: str, args: tuple[int, ...]) -> None:
    current_app.send_task(task_name, args=args, ignore_result=True)
