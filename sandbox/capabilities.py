"""What this system can do besides its main job, switchable so that every kind of system can be played."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sandbox.storing import Store, dumps

AUTHENTICATIONS = ("none", "header", "basic", "oauth2")


@dataclass(frozen=True)
class Capabilities:
    """Switches: the recognised idempotency key, the conditional header, the search, our reference in answers;
    the seconds for which a new thing does not show in searches; how requests prove who asks, and how long a token of
    `oauth2` lives."""

    idempotency: bool = False
    conditional: bool = True
    lookup: bool = True
    echo: bool = True
    visibility_seconds: float = 0
    authentication: str = "none"
    token_seconds: float = 300

    def document(self) -> dict[str, Any]:
        return asdict(self)


def read(store: Store) -> Capabilities:
    """The switches as they stand."""
    found = store.row("SELECT value FROM settings WHERE name = 'capabilities'")
    return Capabilities(**json.loads(found["value"])) if found else Capabilities()


def change(store: Store, wanted: Mapping[str, Any]) -> Capabilities:
    """Set the switches named, leave the others; ValueError with words where one is unknown or of the wrong type."""
    for name, value in wanted.items():
        if not _fits(name, value):
            raise ValueError(f"capability {name!r} does not take {value!r}")
    with store.transaction():
        after = Capabilities(**{**asdict(read(store)), **wanted})
        store.change("INSERT OR REPLACE INTO settings VALUES ('capabilities', ?)", (dumps(asdict(after)),))
    return after


def _fits(name: str, value: Any) -> bool:
    if name == "authentication":
        return value in AUTHENTICATIONS
    if name in ("visibility_seconds", "token_seconds"):
        return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 86400
    return name in asdict(Capabilities()) and isinstance(value, bool)
