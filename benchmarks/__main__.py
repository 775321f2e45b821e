"""`python -m benchmarks MEASUREMENT [--count …]`: each prints its table and keeps its numbers under `.bench/`."""

import argparse
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import everything, growth, latency, profile, recovery, semantics, submitting, throughput
from benchmarks.goals import Line, table

MEASUREMENTS: Mapping[str, Callable[..., list[Line]]] = {
    "all": everything.measure,
    "throughput": throughput.measure,
    "submitting": submitting.measure,
    "latency": latency.measure,
    "recovery": recovery.measure,
    "semantics": semantics.measure,
    "growth": growth.measure,
    "profile": profile.measure,
}
SWITCHES: Mapping[str, Mapping[str, Any]] = {
    "all": {},
    "throughput": {"delay_ms": 0.0, "workers": 2, "count": 200, "pairs": 7},
    "submitting": {"count": 200, "pairs": 7, "clients": 4},
    "latency": {"count": 200},
    "recovery": {"count": 1000, "workers": 4, "only": ",".join(recovery.DISASTERS)},
    "semantics": {"count": 1000, "kills": 8, "sides": ",".join(semantics.SIDES)},
    "growth": {"sizes": "100,10000,1000000", "count": 30, "pairs": 7},
    "profile": {"count": 100, "sort": "cumulative"},
}


def main() -> None:
    """Run the measurement that the command names."""
    given = vars(_parser().parse_args())
    name, keep = given.pop("measurement"), Path(given.pop("keep"))
    began = time.time()
    lines = MEASUREMENTS[name](**given, say=print)
    kept = {"given": given, "began": began, "seconds": time.time() - began, "lines": [asdict(one) for one in lines]}
    keep = Path(str(keep).format(measurement=name))
    keep.parent.mkdir(parents=True, exist_ok=True)
    keep.write_text(json.dumps(kept, indent=2))
    print(table(lines))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    commands = parser.add_subparsers(dest="measurement", required=True)
    for name, switches in SWITCHES.items():
        one = commands.add_parser(name, help=(MEASUREMENTS[name].__doc__ or "").splitlines()[0])
        one.add_argument("--keep", default=".bench/{measurement}.json", help="where the numbers are kept")
        for switch, default in switches.items():
            one.add_argument(f"--{switch.replace('_', '-')}", type=type(default), default=default)
    return parser


if __name__ == "__main__":
    main()
