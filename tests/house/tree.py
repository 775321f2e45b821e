"""The files of the repository as a reader gets them: tracked ones only, so that work in progress fails nobody else."""

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FLOORS = ("config", "web", "rehearsals", "intents", "approvals", "proposals", "systems", "tenancy", "journal")
_TEXT = (".py", ".md", ".html", ".css", ".js", ".yaml", ".yml", ".json", ".toml", ".in", ".txt", ".po", ".svg", "")


@cache
def tracked() -> tuple[Path, ...]:
    """Every tracked file that is there, relative to the root."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return tuple(path for path in map(Path, filter(None, listed.split("\0"))) if (ROOT / path).is_file())


def texts(*suffixes: str, under: tuple[str, ...] = ()) -> list[Path]:
    """The tracked text files, with one of the suffixes if any is given, below one of the directories if any is."""
    return [path for path in tracked() if path.suffix in (suffixes or _TEXT) and (not under or path.parts[0] in under)]


def read(path: Path) -> str:
    """The text of a tracked file."""
    return (ROOT / path).read_text(encoding="utf-8")
