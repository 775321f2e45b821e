"""Asks in a thread of its own what may not answer at all, and waits for it no longer than the asker can."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from threading import Lock, Thread
from typing import Generic, TypeVar

from django.db import DatabaseError, connection

Answer = TypeVar("Answer")


class Aside(Generic[Answer]):
    """One question for the whole process, asked once at a time however many wait for its answer.

    A database that is frozen keeps its connections open and says nothing: no timeout of its own ends that. So the
    question waits in one thread beside, and those who ask leave when their time is up.
    """

    def __init__(self, question: Callable[[], Answer], *, seconds: float) -> None:
        self._question, self._seconds = question, seconds
        self._lock = Lock()
        self._asked_at = 0.0
        self._pending: Future[Answer] | None = None

    def ask(self) -> Answer:
        """The answer; TimeoutError when there is none within `seconds` of the moment it was asked."""
        with self._lock:
            if self._pending is None or self._pending.done():
                self._pending, self._asked_at = Future(), time.monotonic()
                # A daemon: the process may end although the question is still open.
                Thread(target=self._answer, args=(self._pending,), name="readiness", daemon=True).start()
            pending, left = self._pending, self._asked_at + self._seconds - time.monotonic()
        return pending.result(timeout=max(left, 0))

    def _answer(self, pending: Future[Answer]) -> None:
        try:
            answer = self._question()
        except BaseException as error:  # noqa: BLE001 — whatever it is, those who wait shall have it
            pending.set_exception(error)
        else:
            pending.set_result(answer)
        finally:
            with suppress(DatabaseError):
                connection.close()  # this thread's own
