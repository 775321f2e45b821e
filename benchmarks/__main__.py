"""`python -m benchmarks MEASUREMENT [--count …]`: each prints its table and keeps its numbers under `.bench/`."""

import argparse
import json
from pathlib import Path

from benchmarks import profile, throughput

KEPT = Path(".bench")
MEASUREMENTS = {"throughput": throughput.measure, "profile": profile.measure}


def main() -> None:
    """Run the measurement that the command names."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    commands = parser.add_subparsers(dest="measurement", required=True)
    one = commands.add_parser("throughput", help="intents per second beside a bare Celery task")
    one.add_argument("--delay-ms", type=float, default=0)
    one.add_argument("--workers", type=int, default=2)
    one.add_argument("--count", type=int, default=200)
    one.add_argument("--pairs", type=int, default=7)
    one = commands.add_parser("profile", help="where a hand-over's time goes")
    one.add_argument("--count", type=int, default=100)
    one.add_argument("--sort", default="cumulative")
    given = vars(parser.parse_args())
    name = given.pop("measurement")
    found = MEASUREMENTS[name](**given, say=print)
    KEPT.mkdir(exist_ok=True)
    label = "-".join([name, *(f"{value}" for value in given.values())])
    (KEPT / f"{label}.json").write_text(json.dumps({"given": given, "found": found}, indent=2))
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
