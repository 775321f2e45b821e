"""The guards one by one, and how each is taken away: in the code of a forked child, or in the test's database."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from django.db import connection, models

from approvals import policy
from intents import dispatching, moving
from intents.marking import Look, Marked
from journal import statements
from tests.crash.apart import BROKEN, alone
from tests.keeping import wipe

ONE_DOUBT_PER_OBJECT = "intents_one_doubt_per_object"
ONE_ATTEMPT_PER_NUMBER = "intents_one_attempt_per_number"
ONE_ATTEMPT_PER_AUTHORIZATION = "intents_one_delivered_or_doubtful_attempt_per_authorization"


def is_broken_without(remove: Callable[[], None], promise: Callable[[], None]) -> bool:
    """Whether the promise raises Broken in a process that has the guard no more. The parent keeps it."""

    def unguarded() -> None:
        remove()
        promise()

    code = alone(unguarded)
    assert code in (0, BROKEN), f"the promise was neither kept nor broken: the child ended with {code}"
    return code == BROKEN


def the_check(name: str) -> Callable[[], None]:
    """One question of the policy is not asked any more, neither at hand-over nor before."""

    def remove() -> None:
        left = tuple(check for check in policy.CHECKS if check.__name__ != f"_{name}")
        assert len(left) == len(policy.CHECKS) - 1
        policy.CHECKS = left

    return remove


def state_and_attempt_of_a_move() -> None:
    """A move is written wherever the intent stands."""

    def change(
        model: type[models.Model], *, where: Mapping[str, Any], otherwise: Exception | None = None, **values: Any
    ) -> None:
        where = {"id": where["id"]} if model is moving.Intent else where
        statements.change(model, where=where, otherwise=otherwise, **values)

    moving.change = change


def time_left_to_begin() -> None:
    """The process takes no look at the clock between its mark and its first byte."""
    dispatching.time = _Standing  # a clock that stands still


class _Standing:
    @staticmethod
    def monotonic() -> float:
        return 0.0


def the_look_before_a_further_attempt() -> None:
    """The business system is not asked whether the first attempt had its effect after all."""
    dispatching.search = lambda held, *, attempt: None  # nothing was seen


@contextmanager
def held_up_past_its_time() -> Iterator[None]:
    """Whoever marks is held up, between the mark and the first byte, until it may not begin any more."""
    marks = dispatching.decide_and_mark

    def late(look: Look, *, worker: str) -> Marked | str:
        came = marks(look, worker=worker)
        return replace(came, latest_start=time.monotonic() - 1) if isinstance(came, Marked) else came

    dispatching.decide_and_mark = late
    try:
        yield
    finally:
        dispatching.decide_and_mark = marks


@contextmanager
def without_index(name: str) -> Iterator[None]:
    """The database has not got that index. Afterwards its rows are gone, and the index is there as it was."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename, indexdef FROM pg_indexes WHERE indexname = %s", [name])
        table, definition = cursor.fetchone()
        cursor.execute("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = %s", [name])
        for (stated,) in cursor.fetchall():  # a constraint that the index belongs to
            definition = f'ALTER TABLE "{table}" ADD CONSTRAINT "{name}" {stated}'
            cursor.execute(f'ALTER TABLE "{table}" DROP CONSTRAINT "{name}"')
        cursor.execute(f'DROP INDEX IF EXISTS "{name}"')
    try:
        yield
    finally:
        wipe()
        with connection.cursor() as cursor:
            cursor.execute(definition)
