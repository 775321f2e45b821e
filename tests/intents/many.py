"""Copies of one open case, made by the database, for as long as a test looks at them."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection
from django.db.models import Model

from intents.models import Case, Intent
from proposals.models import Proposal, Revision
from tests.keeping import always_on

FIRST = 1000


@contextmanager
def copies(intent: Intent, count: int) -> Iterator[None]:
    """So many further cases like that of the intent, on targets and with references of their own."""
    case = Case.objects.get(intent=intent, closed_at__isnull=True)
    revision = intent.revision
    story: list[tuple[type[Model], int]] = [
        (Proposal, revision.proposal_id),
        (Revision, revision.pk),
        (Intent, intent.pk),
        (Case, case.pk),
    ]
    _whatever_is_kept("; ".join(_copy(model, row, count) for model, row in story), story)
    try:
        yield
    finally:
        _whatever_is_kept(
            "; ".join(f"DELETE FROM {model._meta.db_table} WHERE id >= {FIRST}" for model, _ in story), story
        )


def _whatever_is_kept(sql: str, story: list[tuple[type[Model], int]]) -> None:
    with connection.cursor() as cursor:
        off, on = always_on(cursor, {model._meta.db_table for model, _ in story})
        cursor.execute(f"BEGIN; SET LOCAL session_replication_role = replica; {off} {sql}; {on} COMMIT")


def _copy(model: type[Model], row: int, count: int) -> str:
    own = {"id": f"{FIRST} + n", "reference": "gen_random_uuid()", "target": "'D-' || (10000000 + n)"}
    within = {"proposal", "revision", "intent", "authorization"}
    values = {
        field.column: f"{FIRST} + n" if field.name in within else own.get(field.column, f'"{field.column}"')
        for field in model._meta.concrete_fields
    }
    table, columns = model._meta.db_table, ", ".join(f'"{name}"' for name in values)
    rows = f'SELECT {", ".join(values.values())} FROM generate_series(1, {count}) n, "{table}" WHERE id = {row}'
    return f'INSERT INTO "{table}" ({columns}) {rows}'
