"""Tables of the documentation say what the code says."""

import re
from pathlib import Path

from approvals.refusals import CODES
from tests.docs.pages import ROOT

CELL = r"\s*\|\s*"


def rows(page: str, heading: str) -> dict[str, list[str]]:
    """The table under a heading: the word in the first cell → the other cells."""
    text = (ROOT / page).read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    found = {}
    for line in text.splitlines():
        if hit := re.match(r"\|\s*`([^`]+)`", line):
            found[hit.group(1)] = [cell.strip() for cell in line.strip().strip("|").split("|")][1:]
    return found


def test_every_problem_code_is_explained_with_its_status_and_whether_to_retry():
    written = {code: (int(cells[0]), cells[1] == "yes") for code, cells in rows("docs/errors.md", "Codes").items()}
    assert written == CODES


def test_every_environment_variable_the_settings_read_is_explained():
    source = (ROOT / "config" / "settings.py").read_text()
    read = set(re.findall(r"\benv\.\w+\(\s*\"([A-Z_]+)\"", source))
    assert read == set(rows("docs/operators.md", "Settings"))


def test_the_default_of_every_environment_variable_is_the_one_in_the_settings():
    source = (ROOT / "config" / "settings.py").read_text()
    plain = dict(re.findall(r"\benv\.\w+\(\s*\"([A-Z_]+)\",\s*default=\"?([\w.:/@-]+)\"?\)", source))
    written = {name: cells[0] for name, cells in rows("docs/operators.md", "Settings").items()}
    assert {name: written[name] for name in plain} == {name: f"`{value}`" for name, value in plain.items()}


def test_pages_in_french_have_their_english_page_and_the_same_outline():
    for french in sorted((ROOT / "docs" / "fr").glob("*.md")):
        english = ROOT / "docs" / french.name
        assert _outline(french) == _outline(english), french.name


def _outline(page: Path) -> list[str]:
    return list(re.findall(r"^(#+) ", page.read_text(encoding="utf-8"), re.MULTILINE))
