"""The commands a person types."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from demo.choices import ROOT, Choices
from demo.greeting import greeting
from demo.telling import Refusal


def make(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "--no-print-directory", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_make_alone_lists_every_command():
    listed = set(re.findall(r"^  make ([a-z-]+)", make().stdout, re.MULTILINE))
    phony = set((ROOT / "Makefile").read_text().partition(".PHONY:")[2].splitlines()[0].split())
    assert listed == phony
    assert {"demo", "demo-reset", "test", "check", "help", "journal-verify"} <= listed


@pytest.mark.parametrize(
    ("python", "told"), [("no-such-python", "install Python 3.11 or newer"), ("old-python", "is older than 3.11")]
)
def test_a_machine_without_a_fitting_python_is_told_so(tmp_path: Path, python: str, told: str):
    old = tmp_path / "old-python"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    shutil.copy(ROOT / "Makefile", tmp_path)
    done = make("-C", str(tmp_path), "venv", f"PYTHON={python}", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert done.returncode != 0
    assert told in done.stdout
    assert not (tmp_path / ".venv").exists()


def pins(name: str) -> dict[str, tuple[str, int]]:
    """Return every package of a locked file with its version and the number of its hashes."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text()
    found = {}
    for entry in re.split(r"\n(?=\S)", text):
        package, version = re.match(r"([\w.-]+)(?:\[.*?\])?==(\S+)", entry).groups()
        found[package] = (version, len(re.findall(r"--hash=sha256:[0-9a-f]{64}\b", entry)))
    return found


@pytest.mark.parametrize("name", ["production", "development"])
def test_requirements_pin_and_hash_every_package_and_name_no_index(name: str):
    assert "://" not in (ROOT / "requirements" / f"{name}.txt").read_text()
    locked = pins(name)
    assert len(locked) > 20
    assert all(hashes for _, hashes in locked.values())


def test_development_keeps_the_versions_of_production():
    production, development = pins("production"), pins("development")
    for name in production.keys() & development.keys():
        assert production[name] == development[name]


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({"PORT": "eighty"}, "PORT=eighty is not a port"),
        ({"PORT": "70000"}, "PORT=70000 is not a port"),
        ({"PORT": "9000", "SANDBOX_PORT": "9000"}, "are both 9000"),
    ],
)
def test_a_choice_that_cannot_be_is_refused_in_words(environment: dict[str, str], told: str):
    with pytest.raises(Refusal, match=told):
        Choices.from_environment(environment)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_that_cannot_show_our_signs_is_told_all_the_same(tmp_path: Path, encoding: str):
    (tmp_path / "thesis.txt").write_text("years of work")
    done = subprocess.run(
        [sys.executable, "-m", "demo"],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": encoding, "DEMO_DIR": str(tmp_path)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == b""
    assert b"Starting PostgreSQL and Valkey ?" in done.stdout
    assert b"was not made by the demo" in done.stdout


def test_the_way_to_clear_the_demo_is_the_one_for_this_directory(tmp_path: Path):
    content = {"users": {}, "agents": {"agent-a": {"token": "cs_none"}}}
    (tmp_path / "credentials.json").write_text(json.dumps(content))
    said = greeting(Choices.from_environment({"DEMO_DIR": str(tmp_path)}))
    assert f"`make demo-reset DEMO_DIR={tmp_path}` clears it" in said


def test_choices_are_those_of_the_documentation_when_nothing_is_chosen():
    chosen = Choices.from_environment({})
    assert (chosen.port, chosen.sandbox_port, chosen.directory) == (8000, 8900, ROOT / ".demo")
