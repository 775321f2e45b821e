"""What an agent submits, as frozen values; nothing is known of it yet but its shape."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Answers:
    """What a new proposal says about one that was refused: its public id, and what changed since."""

    proposal: str
    what_changed: str


@dataclass(frozen=True)
class Submission:
    """What an agent sends, its envelope checked by the door. `arguments` is any JSON value until it was examined."""

    tool: str
    contract_version: str | None
    arguments: Any
    suggestion: str = ""
    facts: tuple[Mapping[str, Any], ...] = ()
    session: str | None = None
    answers: Answers | None = None
