"""All measurements one after the other, each a process of its own, and one table of them: `python -m benchmarks all`.

With COUNTERSIGN_WRITE_DOCS=1 the table and its date go into the documentation.
"""

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.goals import Line, table

PAGE = Path("docs/benchmarks.md")
BEGINS, ENDS = "<!-- made by benchmarks: begin -->", "<!-- made by benchmarks: end -->"
RUNS = {
    "Intents per second, 10 ms target, 8 workers": ("throughput", "--delay-ms", "10", "--workers", "8"),
    "Intents per second, 0 ms target, 2 workers": ("throughput", "--delay-ms", "0", "--workers", "2"),
    "Submissions beside a bare view": ("submitting",),
    "From the signature, at idle": ("latency",),
    "After a disaster": ("recovery",),
    "The same jobs under the same kills": ("semantics",),
    "With many intents in the tables": ("growth",),
}


def measure(*, say: Callable[[str], None]) -> list[Line]:
    """Everything with its defaults: under twenty minutes."""
    told, chapters = [], []
    for title, run in RUNS.items():
        say(f"— {title}")
        kept = Path(".bench") / f"part-{len(chapters)}.json"
        subprocess.run([sys.executable, "-m", "benchmarks", *run, "--keep", str(kept)], check=True)  # noqa: S603  ours
        lines = [Line(**one) for one in json.loads(kept.read_text())["lines"]]
        chapters.append(f"## {title}\n\n{table(lines)}")
        told += [one for one in lines if one.goal is not None]
    if os.environ.get("COUNTERSIGN_WRITE_DOCS") == "1":
        _write("\n\n".join([_when_and_where(), *chapters]))
    return told


def _when_and_where() -> str:
    day = time.strftime("%Y-%m-%d", time.gmtime())
    return f"Measured on {day}: {os.cpu_count()} processors, {platform.system()}, Python {platform.python_version()}."


def _write(made: str) -> None:
    before, _, rest = PAGE.read_text().partition(BEGINS)
    _, _, after = rest.partition(ENDS)
    PAGE.write_text(f"{before}{BEGINS}\n{made}\n{ENDS}{after}")
