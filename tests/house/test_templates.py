"""Every word on screen is marked for translation."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.house.tree import read, texts

MARKED = re.compile(r"{%-?\s*blocktrans(?:late)?\b.*?{%-?\s*endblocktrans(?:late)?\s*-?%}", re.DOTALL)
HIDDEN = re.compile(r"{%-?\s*comment\b.*?{%-?\s*endcomment\s*-?%}|{#.*?#}|<!--.*?-->", re.DOTALL)
CLASSES = re.compile(r"{%\s*block \w*class\s*%}[\w -]*{%\s*endblock\s*%}")  # lands in an attribute
TAGS = re.compile(r"{%.*?%}|{{.*?}}", re.DOTALL)
SPOKEN = {"alt", "title", "placeholder", "aria-label", "aria-description", "aria-roledescription", "label"}
# Names, units and codes that are the same in every language.
SAME = {
    "Countersign",
    "JSON",
    "UTC",
    "URL",
    "API",
    "ID",
    "CEL",
    "SHA",
    "English",
    "Français",
    "v",
    "n",
    "s",
    "P",
    "I",
    "A",
    "D",
    "U",
}
# Served when nothing works, translations included: it says everything in both languages at once.
BOTH_LANGUAGES = Path("templates/500.html")
LETTERS = re.compile(r"[^\W\d_]+")


class _Words(HTMLParser):
    """Collects what a person would read or hear."""

    silent = frozenset({"script", "style", "code", "kbd", "samp"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[int, str]] = []
        self._inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.silent:
            self._inside.append(tag)
        given = dict(attrs)
        spoken = SPOKEN | ({"value"} if tag == "input" and given.get("type") in ("submit", "button") else set())
        for name in spoken & given.keys():
            self._note(given[name] or "")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._inside:
            self._inside.remove(tag)

    def handle_data(self, data: str) -> None:
        if not self._inside:
            self._note(data)

    def _note(self, text: str) -> None:
        if words := [word for word in LETTERS.findall(text) if word not in SAME]:
            self.found.append((self.getpos()[0], " ".join(words)))


def _blank(hit: re.Match[str]) -> str:
    return "\n" * hit.group().count("\n")


TEMPLATES = [path for path in texts(".html", under=("templates",)) if path != BOTH_LANGUAGES]


@pytest.mark.parametrize("template", TEMPLATES, ids=str)
def test_every_word_of_a_template_is_marked_for_translation(template: Path):
    text = read(template)
    for pattern in (HIDDEN, MARKED, CLASSES, TAGS):
        text = pattern.sub(_blank, text)
    words = _Words()
    words.feed(text)
    assert [f"{template}:{line}: {said}" for line, said in words.found] == []
