"""Plays histories by the thousand, in ranges that can be resumed: `python -m tests.histories.soak 0-20000`.

Each range of a hundred seeds is one run of the tests. Where it passed it leaves one file under `.soak/`, and is not
played again. The counts of all files add up to what is printed. A failing seed is printed with its steps, and ends it.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

KEPT = Path(".soak")
RANGE = 100
STEPS = 16


def main(first: int, last: int) -> int:
    """Play every range not played yet; the exit status of the first that fails, else 0."""
    KEPT.mkdir(exist_ok=True)
    for start in range(first, last, RANGE):
        end = min(start + RANGE, last)
        code = _played(start, end)
        if code:
            return code
        total = summary()
        print(f"{start}-{end} passed; {total['histories']} histories so far", flush=True)
    _print(summary())
    return 0


def _played(start: int, end: int) -> int:
    place = KEPT / f"{start}-{end}.jsonl"
    if place.exists():
        return 0
    part = place.with_suffix(".part")
    part.unlink(missing_ok=True)
    asked = {"SEEDS": f"{start}-{end}", "STEPS": str(STEPS), "SOAK_FILE": str(part.resolve())}
    env = {**os.environ, **{f"COUNTERSIGN_{name}": value for name, value in asked.items()}}
    command = [sys.executable, "-m", "pytest", "tests/histories", "-q", "-n", "2", "--no-header"]
    ended = subprocess.run(command, env=env, check=False, capture_output=True, text=True)
    if ended.returncode:
        print(ended.stdout[-20000:])
    else:
        part.rename(place)
    return ended.returncode


def summary() -> Counter[str]:
    """What all ranges together did, and how it ended."""
    total: Counter[str] = Counter()
    for file in KEPT.glob("*.jsonl"):
        for line in file.read_text().splitlines():
            total += Counter(json.loads(line))
    return total


def _print(total: Counter[str]) -> None:
    for name, count in sorted(total.items()):
        print(f"{count:8} {name}")


if __name__ == "__main__":
    low, _, high = (sys.argv[1] if len(sys.argv) > 1 else "0-20000").partition("-")
    sys.exit(main(int(low), int(high)))
