"""Fills the tables with settled intents: copies of one story, made by the database itself."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.db.models import Model

if TYPE_CHECKING:
    from intents.models import Intent

# In a copy every row of the story has the number -n, so that nothing meets a number given by a sequence.
SHORT = "'\\x00'::bytea"
DIFFERENT: Mapping[str, Mapping[str, str]] = {
    "intents_intent": {"reference": "gen_random_uuid()", "target": "'D-' || (10000000 + n)"},
    "proposals_revision": {"target": "'D-' || (10000000 + n)", "content": SHORT},
    "approvals_signature": {"payload": SHORT},
    "journal_entry": {"chain": "'P--' || n", "body": SHORT},
}


def fill(connection: Any, pattern: "Intent", count: int) -> None:
    """So many copies of the settled intent exist, each with all that belongs to it; the tables are analysed."""
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        cursor.execute("SET session_replication_role = replica")  # only numbers that we make: no keys to look up
        for model, row in _story(pattern):
            cursor.execute(_copies(model), [count, row])
        cursor.execute("SET session_replication_role = origin")
        cursor.execute("VACUUM (ANALYZE)")
        cursor.execute("CHECKPOINT")


def _story(pattern: "Intent") -> list[tuple[type[Model], int]]:
    """One row of each table that a hand-over reads or writes, as the settled intent left it."""
    from approvals.models import Authorization, Signature
    from intents.models import Attempt, Evidence, Intent
    from journal.models import Entry
    from proposals.models import Proposal, Revision

    revision = pattern.revision
    last = Entry.objects.filter(chain=revision.proposal.public_id).order_by("-position").first()
    assert last is not None
    return [
        (Proposal, revision.proposal_id),
        (Revision, revision.pk),
        (Authorization, pattern.authorization_id),
        (Signature, Signature.objects.get(authorization=pattern.authorization_id).pk),
        (Intent, pattern.pk),
        (Attempt, Attempt.objects.get(intent=pattern.pk).pk),
        (Evidence, Evidence.objects.filter(intent=pattern.pk).order_by("pk")[0].pk),
        (Entry, last.pk),
    ]


def _copies(model: type[Model]) -> str:
    table = model._meta.db_table
    told = {field.column: _told(field, DIFFERENT.get(table, {})) for field in model._meta.concrete_fields}
    columns, values = ", ".join(f'"{column}"' for column in told), ", ".join(told.values())
    return f'INSERT INTO "{table}" ({columns}) SELECT {values} FROM generate_series(1, %s) n, "{table}" WHERE id = %s'  # noqa: S608  names of our own models


def _told(field: Any, different: Mapping[str, str]) -> str:
    """A column of a copy: its own number, the number of another row of the same story, or what the story has."""
    if field.primary_key:
        return "-n"
    within = {"proposal", "revision", "authorization", "intent"}
    if field.many_to_one or field.one_to_one:
        return "-n" if field.name in within else f'"{field.column}"'
    return different.get(field.column, f'"{field.column}"')
