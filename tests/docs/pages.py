"""What the documentation tells a reader to type, and what it says will be answered."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = [Path("README.md"), *sorted(path.relative_to(ROOT) for path in (ROOT / "docs").rglob("*.md"))]

FENCE = re.compile(r"^```(?P<language>[^\n`]*)\n(?P<text>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
EXECUTED = ("bash", "console")

# Commands that the tests run elsewhere, on a machine, a clone or a process of their own: name → where.
PROVED_ELSEWHERE = {
    "make demo": "tests/demo/test_supervisor.py, and the demo on which these pages run",
    "make demo-reset": "tests/demo/test_supervisor.py",
    "make test": "this run",
    "make check": ".ci/run",
    ".ci/run": "itself",
}


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, its text, and the line of the page it begins on."""

    page: Path
    line: int
    language: str
    text: str


@dataclass(frozen=True)
class Command:
    """What is typed, and what is answered: None where the page does not say, else lines with `…` for anything."""

    line: int
    text: str
    answer: str | None


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [
        Block(page, text.count("\n", 0, hit.start()) + 1, hit.group("language").strip(), hit.group("text"))
        for hit in FENCE.finditer(text)
    ]


def commands(page: Path) -> list[Command]:
    """Everything a page asks its reader to run, in order."""
    found: list[Command] = []
    for block in blocks(page):
        if block.language == "bash":
            found.append(Command(block.line, block.text, None))
        elif block.language == "console":
            found += _session(block)
    return [command for command in found if command.text.strip() not in PROVED_ELSEWHERE]


def _session(block: Block) -> list[Command]:
    """`$ ` begins a command, `> ` goes on with it, anything else is its answer."""
    found: list[Command] = []
    for number, line in enumerate(block.text.splitlines(), start=block.line + 1):
        if line.startswith("$ "):
            found.append(Command(number, line[2:], ""))
        elif line.startswith("> "):
            found[-1] = Command(found[-1].line, f"{found[-1].text}\n{line[2:]}", "")
        else:
            last = found[-1]
            found[-1] = Command(last.line, last.text, f"{last.answer}{line}\n")
    return found


def answers_as_written(written: str, answer: str) -> bool:
    """Whether an answer is the one on the page, where `…` stands for anything."""
    pattern = ".*?".join(re.escape(part) for part in written.strip().split("…"))
    return re.fullmatch(pattern, answer.strip(), re.DOTALL) is not None
