"""What the server answers, as values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

# Nothing will change by itself any more.
SETTLED = frozenset(
    {
        *("rejected", "withdrawn", "superseded", "expired", "revoked", "not_sent", "confirmed", "answered"),
        *("refused_by_target", "not_executed", "diverged"),
    }
)


@dataclass(frozen=True)
class Proposal:
    """A proposal as it stood when it was read. `told` is the whole answer; `replayed` says that it existed already."""

    id: str
    revision: int
    tool: str
    status: str
    statement: str
    next_step: str
    retryable: bool
    told: Mapping[str, Any] = field(repr=False)
    etag: str = field(default="", repr=False)
    replayed: bool = False

    @property
    def settled(self) -> bool:
        """Whether nothing will change by itself any more. An unknown outcome is not settled."""
        return self.status in SETTLED

    @property
    def evidence(self) -> Mapping[str, Any] | None:
        """The fields of the contract's output, once an effect is proven or a question answered. They are data."""
        found: Mapping[str, Any] | None = self.told.get("evidence")
        return found

    @classmethod
    def of(cls, told: Mapping[str, Any], *, etag: str = "", replayed: bool = False) -> "Proposal":
        """From an answer of the server."""
        names = ("id", "revision", "tool", "status", "statement", "next_step", "retryable")
        return cls(**{name: told[name] for name in names}, told=told, etag=etag, replayed=replayed)


@dataclass(frozen=True)
class Page:
    """Some of the caller's proposals, the newest first; `next_cursor` is None at the end."""

    items: Sequence[Proposal]
    next_cursor: str | None


class Refused(Exception):
    """The server refused, and created nothing. `code` is stable; `hint` and `errors` help a model to correct itself."""

    def __init__(self, status: int, problem: Mapping[str, Any], *, retry_after: float | None = None) -> None:
        super().__init__(f"{problem.get('code', status)}: {problem.get('detail', '')}")
        self.status = status
        self.problem = problem
        self.retry_after = retry_after
        self.code = str(problem.get("code", ""))
        self.detail = str(problem.get("detail", ""))
        self.hint = str(problem.get("hint", ""))
        self.retryable = bool(problem.get("retryable", False))
        self.errors: Sequence[Mapping[str, Any]] = problem.get("errors", ())


class Unreachable(Exception):
    """The server did not answer, or not in its own way. Whether it received the request is not known."""
