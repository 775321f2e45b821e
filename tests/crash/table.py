"""The table of faults in the docs: made by a run, committed, and held equal to the next run."""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

PAGE = Path("docs/reliability.md")
BEGINS, ENDS = "<!-- made by tests/crash: begin -->", "<!-- made by tests/crash: end -->"
WORDS = {"confirmed": "confirmed", "outcome_unknown": "unknown, to a person"}


def cell(status: str, *, effects: int) -> str:
    """What one cell says."""
    return f"{WORDS.get(status, status)}, {effects} effect{'' if effects == 1 else 's'}"


def made(steps: Iterable[str], faults: Iterable[str], seen: Mapping[tuple[str, str], str]) -> str:
    """The table as Markdown."""
    faults = list(faults)
    lines = ["| at the step | " + " | ".join(faults) + " |", "| --- |" + " --- |" * len(faults)]
    lines += [f"| `{step}` | " + " | ".join(seen[step, fault] for fault in faults) + " |" for step in steps]
    return "\n".join(lines)


def committed(root: Path) -> str:
    """The table as the docs have it."""
    _, _, rest = (root / PAGE).read_text().partition(BEGINS)
    return rest.partition(ENDS)[0].strip()


def rows(root: Path) -> list[str]:
    """The steps that the table in the docs names, in its order."""
    return [line.split("`")[1] for line in committed(root).splitlines()[2:]]


def write(root: Path, table: str) -> None:
    """The docs have this table."""
    page = (root / PAGE).read_text()
    before, _, rest = page.partition(BEGINS)
    _, _, after = rest.partition(ENDS)
    (root / PAGE).write_text(f"{before}{BEGINS}\n{table}\n{ENDS}{after}")


def missing(root: Path) -> str:
    """What is wrong between the code's steps and the table, in a sentence; empty when nothing is."""
    from intents.failpoints import Step

    code = "".join(file.read_text() for file in (root / "intents").glob("*.py"))
    unmet = [step.value for step in Step if f"failpoint(Step.{step.name})" not in code]
    if unmet:
        return f"no code passes these steps: {', '.join(unmet)}"
    if rows(root) != [step.value for step in Step]:
        return f"{PAGE} was made with other steps than the code has: run the matrix and commit its table"
    return ""


if __name__ == "__main__":
    sys.exit(missing(Path()) or 0)
