"""What a configuration leaves open or promises too easily, in words, with the line of its file.

Nothing here is an error: a file with errors is not read at all. It is what a person should know before relying on it.
"""

from collections.abc import Iterator
from typing import Any

from systems.configuration import SystemConfig
from systems.operations import OperationConfig, SearchConfig, WriteConfig
from systems.yamlfiles import Path, Positions, Problem

# Answers that say nothing of an effect; a success rule that holds on one of them says too much.
HOLLOW: tuple[Any, ...] = (
    {},
    {"status": "error"},
    {"ok": True, "errors": [{"item": 1}]},
    {"success": False},
    {"error": "x"},
)
OURS = frozenset({401, 403})


def advice(config: SystemConfig, positions: Positions) -> list[Problem]:
    """What to know about this system, in the order of the file."""
    found = [*_capabilities(config, positions), *_transport(config, positions)]
    for name, operation in config.operations.items():
        found.extend(_operation(name, operation, config, positions))
    return sorted(found, key=lambda problem: (problem.line, problem.field))


def _capabilities(config: SystemConfig, positions: Positions) -> Iterator[Problem]:
    can, path = config.capabilities, ("capabilities",)
    if not can.echoes:
        yield positions.problem(path, "answers do not carry our reference: only the answer itself can confirm.")
    if not can.can_look_up:
        yield positions.problem(path, "no search by our reference: every unknown outcome is for a person to find out.")
    if not can.honours_idempotency:
        yield positions.problem(path, "no idempotency key: a late first effect would double a new attempt.")
    if can.can_look_up and can.settles_after is None:
        yield positions.problem(path, "no visibility_delay: nobody can say when an empty search means anything.")
    if not can.can_cancel:
        yield positions.problem(path, "no cancellation: what was handed over can only be compensated.")


def _transport(config: SystemConfig, positions: Positions) -> Iterator[Problem]:
    if config.allow_private and config.address.scheme == "http":
        yield positions.problem(("base_url",), "plain http: orders and secrets travel unencrypted.")


def _operation(name: str, operation: OperationConfig, config: SystemConfig, positions: Positions) -> Iterator[Problem]:
    path: Path = ("operations", name)
    if operation.submit is not None:
        yield from _write((*path, "submit"), operation.submit, positions)
    for part in ("lookup", "list"):
        search: SearchConfig | None = getattr(operation, part)
        if search is not None and not search.next:
            reason = "no next: whatever does not stand on the first page would not be found."
            yield positions.problem((*path, part), reason)
    if operation.has("submit") and not operation.has("list"):
        yield positions.problem(path, "no list: after a restore, effects that no order here knows are not found.")


def _write(path: Path, write: WriteConfig, positions: Positions) -> Iterator[Problem]:
    for body in HOLLOW:
        facts = [{"status": status, "headers": {}, "body": body} for status in (200, 201)]
        if any(write.success.judge(each).holds for each in facts):
            yield positions.problem((*path, "success"), f"holds on an answer that proves nothing: {body}.")
            break
    for index, code in enumerate(write.definitive):
        if code.status in OURS:
            reason = f"{code.status} is often about our own credentials: then nothing was refused for good."
            yield positions.problem((*path, "definitive", index), reason)
