"""Tables of the documentation say what the code says."""

import gettext
import re
from pathlib import Path

import pytest

from approvals.refusals import CODES
from intents.statements import Status
from tests.docs.pages import ROOT


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


def test_every_status_is_explained():
    assert list(rows("docs/agent-developers.md", "Statuses")) == list(Status)


def test_every_environment_variable_the_settings_read_is_explained():
    source = (ROOT / "config" / "settings.py").read_text()
    read = set(re.findall(r"\benv\.\w+\(\s*\"([A-Z_]+)\"", source))
    assert read == set(rows("docs/operators.md", "Settings"))


def test_the_default_of_every_environment_variable_is_the_one_in_the_settings():
    source = (ROOT / "config" / "settings.py").read_text()
    plain = dict(re.findall(r"\benv\.\w+\(\s*\"([A-Z_]+)\",\s*default=\"?([\w.:/@-]+)\"?\)", source))
    written = {name: cells[0] for name, cells in rows("docs/operators.md", "Settings").items()}
    assert {name: written[name] for name in plain} == {name: f"`{value}`" for name, value in plain.items()}


@pytest.mark.parametrize("name", ["approvers.md", "support.md"])
def test_every_word_of_the_screens_that_a_page_names_is_on_the_screens(name: str):
    """On these pages, bold is for words of the screens and for nothing else."""
    with (ROOT / "locale" / "fr" / "LC_MESSAGES" / "django.mo").open("rb") as file:
        french = gettext.GNUTranslations(file)
    english = _bold(ROOT / "docs" / name)
    assert {word for word in english if french.gettext(word) == word} == set()
    assert _bold(ROOT / "docs" / "fr" / name) == {french.gettext(word) for word in english}


def _bold(page: Path) -> set[str]:
    return set(re.findall(r"\*\*([^*]+)\*\*", page.read_text(encoding="utf-8")))


def test_pages_in_french_have_their_english_page_and_the_same_outline():
    for french in sorted((ROOT / "docs" / "fr").glob("*.md")):
        english = ROOT / "docs" / french.name
        assert _outline(french) == _outline(english), french.name


def _outline(page: Path) -> list[str]:
    return list(re.findall(r"^(#+) ", page.read_text(encoding="utf-8"), re.MULTILINE))
