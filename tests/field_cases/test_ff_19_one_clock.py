"""FF-19: one authority for time. A worker whose clock is wrong decides as every other, because it asks the database."""

import ast
from pathlib import Path

from tests.house.tree import read, texts

FLOORS = ("journal", "tenancy", "systems", "proposals", "approvals", "intents")
OWN_CLOCK = {("datetime", "now"), ("datetime", "utcnow"), ("date", "today"), ("timezone", "now"), ("time", "time")}


def _calls(path: Path) -> set[tuple[str, str]]:
    found = [node.func for node in ast.walk(ast.parse(read(path))) if isinstance(node, ast.Call)]
    named = [one for one in found if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name)]
    return {(one.value.id, one.attr) for one in named}


def test_no_floor_that_decides_reads_the_clock_of_its_machine():
    readers = [str(path) for floor in FLOORS for path in texts(".py", under=(floor,)) if _calls(path) & OWN_CLOCK]
    assert readers == []


def test_no_column_is_dated_by_the_process_that_writes_it():
    dated = [str(path) for floor in FLOORS for path in texts(".py", under=(floor,)) if "auto_now" in read(path)]
    assert dated == []
