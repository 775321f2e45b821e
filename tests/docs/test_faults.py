"""Every fault that is told of names tests that exist, or says that it was not tried."""

import re

from tests.docs.pages import ROOT


def rows() -> list[list[str]]:
    part = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8").split("## Fault by fault")[1]
    lines = [line for line in part.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_every_fault_names_a_test_that_exists_or_says_that_there_is_none() -> None:
    written = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests").rglob("test_*.py"))
    exist = set(re.findall(r"^\s*def (test_\w+)\(", written, re.MULTILINE))
    for fault, _outcome, held in rows():
        named = re.findall(r"`(test_\w+)`", held)
        assert named or "not " in held or "no " in held, fault
        assert set(named) <= exist, fault


def test_the_table_has_every_fault() -> None:
    assert len(rows()) >= 35
