"""Words kept in several places are the same words."""

import ast
import re
from pathlib import Path

import pytest
from django.db import connection
from django.utils.translation import override

from approvals.refusals import CODES
from approvals.wording import SENTENCES
from intents.circumstances import STOPPED
from intents.states import FENCING, MOVES, State
from journal.kinds import Kind
from tests.house.tree import FLOORS, read, texts
from web.formatting import breaks
from web.formatting.faults import fault_words
from web.formatting.ledgers import CHECKS
from web.formatting.refusals import refusal_words
from web.operations.filtering import ABOUT, kinds_about


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


def _strings(path: str, call: str) -> set[str]:
    """The text arguments of every call of this name in a file."""
    calls = [node for node in ast.walk(ast.parse(read(Path(path)))) if isinstance(node, ast.Call)]
    named = [node for node in calls if isinstance(node.func, ast.Name) and node.func.id == call]
    arguments = [argument for node in named for argument in (*node.args, *(word.value for word in node.keywords))]
    return {one.value for one in arguments if isinstance(one, ast.Constant) and isinstance(one.value, str)}


def test_whatever_stops_an_order_is_told_to_agents_and_people_in_words():
    codes = {code for code in _strings("approvals/checks.py", "_fails") if code.islower() and "_" in code}
    stopping = codes - set(CHECKS) | {"delivery_budget"}
    assert len(stopping) > 8
    assert stopping - set(SENTENCES) == set()
    assert stopping - set(STOPPED) == {"approval_lapsed"}, "that one ends as expired"


def test_every_refusal_has_words_and_every_kind_of_entry_is_found_by_what_it_is_about():
    assert {code for code in (*CODES, *SENTENCES) if refusal_words(code) == code} == set()
    assert set(Kind) == {Kind(kind) for subject in ABOUT for kind in kinds_about(subject)}


def test_every_way_in_which_a_journal_breaks_is_told_in_french():
    thrown = re.findall(r'_Broken\([^,\n]+, f?"([^"]+)"\)', read(Path("journal/chain.py")))
    assert len(thrown) > 9
    with override("fr"):
        told = {reason: breaks.words(re.sub(r"{[^}]+}", "P-42", reason)) for reason in thrown}
    assert {reason for reason, words in told.items() if words == re.sub(r"{[^}]+}", "P-42", reason)} == set()


def test_every_cause_of_doubt_has_words_for_people():
    causes = _strings("intents/outcomes.py", "_unknown") | _strings("intents/outcomes.py", "Outcome")
    causes |= {f"found_on_{state}" for state in ("not_executed", "refused", "void", "confirmed")}
    assert len(causes) > 12
    assert {cause for cause in causes if fault_words(cause) == cause} == set()
