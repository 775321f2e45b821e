"""One call on the business: the request, what its path names, and how a fault wants its effect bent."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sandbox.capabilities import Capabilities
from sandbox.kinds import EffectKind, ObjectKind
from sandbox.storing import Store
from sandbox.wire import Reply, Request


@dataclass(frozen=True)
class Twist:
    """How an effect differs from what was asked: changed fields, several copies, seconds without being found."""

    changes: Mapping[str, Any] = field(default_factory=dict)
    copies: int = 1
    invisible_for: float = 0.0


PLAIN = Twist()


@dataclass(frozen=True)
class Call:
    """A request that found its route; `ref` is the decoded reference in its path, empty where it has none."""

    store: Store
    request: Request
    ref: str
    capabilities: Capabilities
    twist: Twist
    effect: EffectKind | None = None
    about: ObjectKind | None = None

    @property
    def kind(self) -> EffectKind:
        if self.effect is None:
            raise LookupError("this route has no kind of effect")
        return self.effect


def public(document: Mapping[str, Any], capabilities: Capabilities) -> dict[str, Any]:
    """A document as outsiders see it: without their reference where the system does not echo it."""
    return {key: value for key, value in document.items() if capabilities.echo or key != "client_ref"}


def not_found() -> Reply:
    return Reply(404, {"error": "not_found"})


def invalid(*fields: str) -> Reply:
    return Reply(422, {"error": "invalid", "fields": list(fields)})


def conflict(error: str) -> Reply:
    return Reply(409, {"error": error})


def entity_tag(version: int) -> str:
    return f'"{version}"'
