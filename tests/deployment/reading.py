"""Reads docker-compose.yml and the Dockerfile as the tools of production would, as far as these tests need."""

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent.parent
_VARIABLE = re.compile(r"(?<!\$)\$\{(\w+)(?::\?[^}]*)?\}")


def compose(**variables: str) -> dict[str, Any]:
    """Return the file with merges resolved and variables filled in; a variable not given is a KeyError."""
    text = _VARIABLE.sub(lambda found: variables[found.group(1)], (ROOT / "docker-compose.yml").read_text())
    return yaml.safe_load(text)


def schema() -> dict[str, Any]:
    """Return the schema of the parts of the Compose specification in use."""
    return json.loads(Path(__file__).with_name("compose.schema.json").read_text())


def dockerfile() -> list[list[str]]:
    """Return the Dockerfile's instructions as words."""
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    return [shlex.split(line) for line in text.splitlines() if line.strip() and not line.startswith("#")]


def build_context(image: Path) -> Path:
    """Copy into `image` what the Dockerfile copies, and nothing else, each source let through by .dockerignore."""
    allowed = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    for _, *sources, destination in (words for words in dockerfile() if words[0] == "COPY"):
        for source in sources:
            assert source in allowed, f".dockerignore keeps {source} out of the image"
            _copy(ROOT / source, image / destination / (source if destination == "./" else ""))
    return image


def _copy(source: Path, destination: Path) -> None:
    destination.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, destination, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, destination)
