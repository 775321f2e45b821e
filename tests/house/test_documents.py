"""The written house: every link leads somewhere, every decision is listed, every command it names exists."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.house.tree import ROOT, read, texts

FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\((?P<to>[^)\s]+)\)")
CODE = re.compile(r"`[^`\n]*`")
HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*$", re.MULTILINE)
MAKE = re.compile(r"\bmake ([a-z][a-z-]+)\b")
PAGES = texts(".md")


def _prose(path: Path) -> str:
    return FENCE.sub("", read(path))


def _anchors(path: Path) -> set[str]:
    """The anchors a reader's Markdown viewer gives to the headings of a page."""
    found = set()
    for heading in HEADING.findall(_prose(path)):
        plain = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower())
        found.add(plain.replace(" ", "-"))
    return found


@pytest.mark.parametrize("document", PAGES, ids=str)
def test_every_link_leads_to_a_file_and_a_heading_that_exist(document: Path):
    links = [hit.group("to") for hit in LINK.finditer(CODE.sub("", _prose(document)))]
    assert [link for link in links if not _leads_somewhere(document, link)] == []


def _leads_somewhere(page: Path, link: str) -> bool:
    address, _, anchor = link.partition("#")
    if re.match(r"[a-z]+:", address):
        return True
    target = (ROOT / ((page.parent / unquote(address)) if address else page)).resolve()
    if not target.exists() or not target.is_relative_to(ROOT):
        return False
    return not anchor or target.suffix != ".md" or anchor in _anchors(target.relative_to(ROOT))


def test_every_decision_is_in_the_index():
    index = read(Path("docs/decisions/README.md"))
    pages = [path.name for path in PAGES if path.parent == Path("docs/decisions") and path.name != "README.md"]
    assert [name for name in pages if f"]({name})" not in index] == []


def test_every_decision_says_in_one_place_what_was_decided():
    pages = [path for path in PAGES if path.parent == Path("docs/decisions") and path.name != "README.md"]
    assert [str(path) for path in pages if not read(path).startswith("# ")] == []


def test_every_page_of_the_documentation_is_reached_from_the_readme():
    seen: set[Path] = set()
    todo = [Path("README.md")]
    while todo:
        page = todo.pop()
        if page in seen:
            continue
        seen.add(page)
        for hit in LINK.finditer(_prose(page)):
            address = unquote(hit.group("to").partition("#")[0])
            if address.endswith(".md") and "://" not in address:
                todo.append((ROOT / page.parent / address).resolve().relative_to(ROOT))
    assert sorted(str(path) for path in PAGES if path.parts[0] == "docs" and path not in seen) == []


def test_every_make_target_that_is_named_exists():
    targets = set(re.findall(r"^([a-z][a-z-]*):.*## ", read(Path("Makefile")), re.MULTILINE))
    named = {(str(page), name) for page in PAGES for code in _code(page) for name in MAKE.findall(code)}
    assert sorted((page, name) for page, name in named if name not in targets) == []


def _code(page: Path) -> list[str]:
    """What stands as code on a page: inline, and in fences."""
    text = read(page)
    return [*CODE.findall(FENCE.sub("", text)), *(hit.group() for hit in FENCE.finditer(text))]
