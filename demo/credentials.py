"""The file in which a demo keeps its sign-ins and its tokens, for people and for programs."""

import json
import os
from pathlib import Path
from typing import Any

from demo.cast import PASSWORD, PEOPLE, Programme

NAME = "credentials.json"


class Credentials:
    """`credentials.json` of one demo: readable by its owner only, replaced as a whole."""

    def __init__(self, directory: Path, *, base_url: str, sandbox_url: str) -> None:
        """Read what an earlier run left; a file that is not ours to read counts as none."""
        self._path = directory / NAME
        self._before = _read(self._path)
        self._content: dict[str, Any] = {
            "base_url": base_url,
            "sandbox_url": sandbox_url,
            "agents": {},
            "users": {person.username: {"password": PASSWORD} for person in PEOPLE},
        }

    def token(self, agent: str) -> str | None:
        """The token that an earlier run kept for the agent."""
        agents = self._before.get("agents")
        about = agents.get(agent) if isinstance(agents, dict) else None
        secret = about.get("token") if isinstance(about, dict) else None
        return secret if isinstance(secret, str) else None

    def keep(self, programme: Programme, secret: str) -> None:
        """The token is the agent's in the next `write`."""
        self._content["agents"][programme.name] = {
            "token": secret,
            "on_behalf_of": programme.on_behalf_of,
            "scopes": [programme.scope],
        }

    def write(self) -> None:
        """The file holds everything kept, complete at every instant, for its owner only (mode 600)."""
        beside = self._path.with_suffix(".new")
        beside.unlink(missing_ok=True)
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(self._content, file, indent=2)
            file.write("\n")
        beside.replace(self._path)


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
