"""Words kept in several places are the same words."""

import re
from pathlib import Path

import pytest
from django.db import connection

from intents.states import FENCING, MOVES, State
from journal.kinds import Kind
from tests.house.tree import FLOORS, read, texts


def _diagram() -> str:
    return read(Path("ARCHITECTURE.md")).partition("stateDiagram-v2")[2].partition("```")[0]


def test_the_diagram_and_the_table_have_the_same_arrows():
    arrows = set(re.findall(r"^\s*(\w+) --> (\w+)\s*$", _diagram(), re.MULTILINE))
    assert arrows == {(source.value, target.value) for source, target in MOVES}


def test_the_diagram_ends_where_no_arrow_leaves():
    drawn = set(re.findall(r"^\s*(\w+) --> \[\*\]", _diagram(), re.MULTILINE))
    assert drawn == {state.value for state in State} - {source.value for source, _ in MOVES}


@pytest.mark.usefixtures("database")
def test_the_database_knows_the_states_of_the_enum():
    assert _quoted("pg_get_constraintdef(oid)", "pg_constraint", "conname = 'intents_known_state'") == set(State)


@pytest.mark.usefixtures("database")
def test_the_object_fence_of_the_database_covers_every_state_in_doubt():
    quoted = _quoted("pg_get_indexdef(oid)", "pg_class", "relname = 'intents_one_doubt_per_object'")
    assert quoted == FENCING | {State.READY}  # ready only after a reopening


def test_every_kind_of_the_journal_is_told_by_somebody():
    code = "\n".join(read(path) for path in texts(".py", under=FLOORS) if path != Path("journal/kinds.py"))
    assert [kind.name for kind in Kind if not re.search(rf"\bKind\.{kind.name}\b", code)] == []


def _quoted(expression: str, table: str, where: str) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {expression} FROM {table} WHERE {where}")
        (definition,) = cursor.fetchone()
    return set(re.findall(r"'(\w+)'", definition))
