"""`manage.py check_system [NAME or FILE]`: what is wrong with a business system's configuration, by file and line."""

import logging
import os
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from journal.clock import now
from systems.adapters.registry import made
from systems.advising import advice
from systems.configuration import SystemConfig, read_system
from systems.conformance.bench import NotConforming, bench
from systems.conformance.checks import CHECKS
from systems.conformance.live import look
from systems.conformance.subjects import subjects
from systems.yamlfiles import FileError, load_yaml


class Command(BaseCommand):
    """Reads the file as the product does; on request runs the conformance checks, or looks at the real system."""

    requires_system_checks: list[str] = []  # a mistake in another file is no reason not to look at this one
    help = "Check the configuration of a business system: its file, its adapter, and, reading only, the system itself."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("system", nargs="?", help="its name, or a file; all of SYSTEMS_DIR when absent")
        parser.add_argument("--conformance", action="store_true", help="run the checks against servers on loopback")
        parser.add_argument("--live", action="store_true", help="look at the real system; changes nothing there")
        parser.add_argument("--target", action="append", default=[], metavar="REF", help="a target that exists")

    def handle(self, *args: Any, **options: Any) -> None:
        files = list(_files(options["system"]))
        if not files:
            raise CommandError(f"No business system is called {options['system']}, and there is no such file.")
        failures = sum(self._checked(file, options) for file in files)
        if failures:
            raise CommandError(f"{failures} check{'s' * (failures > 1)} failed.")

    def _checked(self, file: Path, options: dict[str, Any]) -> int:
        """The number of failures; a file that cannot be read ends it."""
        text = file.read_bytes()
        try:
            config = read_system(text, name=file.name, environ=os.environ)
            adapter = made(config)
        except FileError as error:
            raise CommandError(f"{file.name} cannot be used.\n{error}") from error
        self.stdout.write(f"{file.name}: {config.name} can be used; {_counted(config)}.")
        _document, positions = load_yaml(text, name=file.name)
        for problem in advice(config, positions):
            self.stdout.write(f"  note  {problem}")
        failures = 0
        if options["conformance"]:
            logging.disable(logging.ERROR)  # the faults arranged here are no news to an operator
            failures = self._conformance(config)
            logging.disable(logging.NOTSET)
        if options["live"]:
            for seen in look(adapter, now=now(), targets=tuple(options["target"])):
                failures += not seen.fine
                place = positions.problem(("operations", seen.operation, seen.part), seen.words)
                self.stdout.write(f"  {'ok  ' if seen.fine else 'FAIL'}  {place}")
        return failures

    def _conformance(self, config: SystemConfig) -> int:
        failures = 0
        for subject in subjects(config):
            for name, check in CHECKS.items():
                try:
                    with bench(subject) as bench_:
                        check(bench_)
                except NotConforming as error:
                    failures += 1
                    self.stdout.write(f"  FAIL  {subject.operation}: {name.replace('_', ' ')}: {error}")
                else:
                    self.stdout.write(f"  ok    {subject.operation}: {name.replace('_', ' ')}.")
        return failures


def _files(named: str | None) -> Iterator[Path]:
    """The file given, or those of SYSTEMS_DIR, of the name given."""
    if named is not None and Path(named).is_file():
        yield Path(named)
        return
    for directory in filter(None, str(settings.SYSTEMS_DIR).split(os.pathsep)):
        for file in sorted(Path(directory).glob("*.yaml")):
            if named is None or named == _name(file):
                yield file


def _name(file: Path) -> str:
    try:
        document, _ = load_yaml(file.read_bytes(), name=file.name)
    except FileError:
        return file.stem
    return str(document.get("name", file.stem))


def _counted(config: SystemConfig) -> str:
    count = len(config.operations)
    return f"{count} operation{'s' * (count > 1)}, {config.digest[:19]}…"
