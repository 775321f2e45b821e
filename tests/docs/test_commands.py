"""Every command of the documentation works as it stands there, on a running demo."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from demo.home import Home
from tests.chromium import find_chromium
from tests.demo.test_supervisor import Demo
from tests.docs.pages import EXECUTED, PAGES, ROOT, blocks, commands
from tests.docs.shell import run

SHOWN = ("text", "json", "yaml", "mermaid", "http")


@pytest.fixture(scope="module")
def demo() -> Iterator[Demo]:
    """One demo for all pages, on ports and in a directory of its own."""
    with tempfile.TemporaryDirectory(prefix="countersign-docs-") as made:
        Path(made).chmod(0o755)
        directory = Path(made) / "demo"
        demo = Demo(directory)
        try:
            yield demo.start()
        finally:
            if demo.process is not None and demo.process.poll() is None:
                demo.end()
            Home(directory).clear()


@pytest.mark.parametrize("document", [page for page in PAGES if commands(page)], ids=str)
def test_every_command_of_the_page_works_as_it_stands_there(document: Path, demo: Demo, tmp_path: Path):
    instead = {
        "127.0.0.1:8000": f"127.0.0.1:{demo.port}",
        "127.0.0.1:8900": f"127.0.0.1:{demo.sandbox_port}",
        ".demo/": f"{demo.directory}/",
    }
    run(commands(document), page=document, environment={**demo.environment, "TMPDIR": str(tmp_path)}, instead=instead)


@pytest.mark.parametrize("document", PAGES, ids=str)
def test_every_block_is_executed_or_declared_as_text(document: Path):
    other = [f"{document}:{block.line}" for block in blocks(document) if block.language not in EXECUTED + SHOWN]
    assert other == []


@pytest.mark.parametrize("document", PAGES, ids=str)
def test_no_line_that_looks_like_a_command_hides_in_a_block_of_text(document: Path):
    typed = ("$ ", "make ", "curl ", "python", ".venv/", "git ")
    hidden = [
        f"{document}:{block.line}"
        for block in blocks(document)
        if block.language == "text" and any(line.lstrip().startswith(typed) for line in block.text.splitlines())
    ]
    assert hidden == []


def test_the_resource_on_the_page_has_the_members_of_the_one_that_is_served(demo: Demo):
    page = Path("docs/agent-developers.md")
    (written,) = (json.loads(block.text) for block in blocks(page) if block.language == "json")
    served = demo.curl()
    assert set(served) == set(written)
    assert set(served["decision"]) == set(written["decision"])


@pytest.mark.browser
def test_the_pictures_are_taken_from_the_running_product(demo: Demo, tmp_path: Path):
    script = ROOT / "docs" / "pictures" / "take.py"
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path)],
        env={**demo.environment, "CHROMIUM": find_chromium() or ""},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for picture in ("case.png", "unknown.png"):
        assert (tmp_path / picture).stat().st_size > 20_000
