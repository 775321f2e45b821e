"""`manage.py lint_contract FILE…`: reads contract files as a model and an approver would; publishes nothing."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from proposals.contracts import parse_contract
from proposals.linting import Neighbour, neighbour
from proposals.management.commands.publish_contract import organization
from proposals.vetting import neighbours_in, vet
from systems.yamlfiles import FileError


class Command(BaseCommand):
    """Tells every error and warning with file, line, field and code; exits with 1 when there is an error."""

    help = "Lint contract files: errors would keep them from being published, warnings are shown to their readers."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="compared with each other, too")
        parser.add_argument("--organization", metavar="SLUG", help="compare with the tools that are active there")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read every file first: two files may be too much alike."""
        texts = {file: _read(file) for file in options["files"]}
        beside = neighbours_in(owner) if (owner := organization(options["organization"])) else []
        beside += [one for file, text in texts.items() if (one := _neighbour(text, file.name))]
        others = list({one.name: one for one in beside}.values())
        refused = [file.name for file, text in texts.items() if not self._tell(file, text, others)]
        if refused:
            raise CommandError(f"Not fit to be published: {', '.join(refused)}.")

    def _tell(self, file: Path, text: bytes, others: list[Neighbour]) -> bool:
        """Say what was found in one file; whether it could be published."""
        try:
            vetted = vet(text, file.name, others=others)
        except FileError as error:
            for problem in error.problems:
                self.stdout.write(f"error: {problem}")
            return False
        for problem in vetted.warnings:
            self.stdout.write(f"warning: {problem}")
        contract = vetted.contract
        self.stdout.write(f"{contract.public_id} may be published: {len(vetted.warnings)} warnings.")
        return True


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror}.") from error


def _neighbour(text: bytes, name: str) -> Neighbour | None:
    try:
        return neighbour(parse_contract(text, name)[1])
    except FileError:  # told when it is its own turn
        return None
