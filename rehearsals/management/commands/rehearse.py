"""`manage.py rehearse NAME@VERSION --against SYSTEM`: a contract is taken through its paths, and the report written."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from proposals.management.commands.publish_contract import organization, person
from proposals.models import ContractVersion
from rehearsals.models import Rehearsal, Step
from rehearsals.paths import Path as Played
from rehearsals.reporting import gap_of, report
from rehearsals.running import CannotRehearse, ask, run

_MARKS = {"passed": "ok  ", "failed": "FAIL", "not_tried": "–   "}


class Command(BaseCommand):
    """Plays every step, says each as it ends, and ends with an error when one failed."""

    help = "Rehearse a published contract against its business system: real orders are made there, on its targets."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("contract", metavar="NAME@VERSION")
        parser.add_argument("--against", required=True, metavar="SYSTEM", help="the business system, by its name")
        parser.add_argument(
            "--target", action="append", default=[], metavar="REF", help="ask the first example about it"
        )
        parser.add_argument("--cases", metavar="FILE", help="arguments to ask with, a JSON object in each line")
        parser.add_argument("--by", metavar="USER", help="who asks for it")
        parser.add_argument("--organization", metavar="SLUG", help="needed when several have such a contract")
        parser.add_argument("--only", action="append", default=[], metavar="STEP")
        parser.add_argument("--json", metavar="FILE", help="write the report there; - writes nothing else than it")

    def handle(self, *args: Any, **options: Any) -> None:
        version = _version(options["contract"], options["organization"])
        by = person(options["by"]) if options["by"] else None
        quiet = options["json"] == "-"
        try:
            cases = _cases(options["cases"])
            asked = ask(version=version, against=options["against"], targets=options["target"], cases=cases, by=by)
        except CannotRehearse as error:
            raise CommandError(f"Nothing was rehearsed. {error}") from error
        rehearsal = run(asked, told=None if quiet else self._say, only=options["only"])
        self._write(rehearsal, options["json"])
        if not rehearsal.passed:
            raise CommandError(f"{rehearsal.public_id} has not passed. {rehearsal.broke_off}".strip())
        if not quiet:
            self.stdout.write(f"{rehearsal.public_id}: {options['contract']} passed against {rehearsal.system}.")

    def _say(self, path: Played, step: Step) -> None:
        self.stdout.write(f"{_MARKS[step.verdict]}  {path.key.replace('_', ' ')}  ({step.took:.1f} s)")
        gap = gap_of(step)
        if gap is not None:
            self.stdout.write(f"      {gap['words']}")
            self.stdout.write(f"      {gap['name']}: expected {gap['expected']!r}, observed {gap['observed']!r}")
            self.stdout.write(f"      cause {gap['cause']}, owner {gap['owner']}, corrected by: {gap['corrected_by']}")

    def _write(self, rehearsal: Rehearsal, where: str | None) -> None:
        if where is None:
            return
        text = json.dumps(report(rehearsal), ensure_ascii=False, indent=2)
        if where == "-":
            self.stdout.write(text)
        else:
            Path(where).write_text(f"{text}\n", encoding="utf-8")


def _cases(file: str | None) -> list[dict[str, Any]]:
    if file is None:
        return []
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
        cases = [json.loads(line) for line in lines if line.strip()]
    except (OSError, ValueError) as error:
        raise CommandError(f"{file} cannot be read: {error}.") from error
    if not cases or not all(isinstance(one, dict) for one in cases):
        raise CommandError(f"{file} must hold a JSON object in each line.")
    return cases


def _version(named: str, slug: str | None) -> ContractVersion:
    name, _, number = named.partition("@")
    found = ContractVersion.objects.filter(name=name, version=number, organization__rehearsal=False)
    if slug is not None:
        found = found.filter(organization=organization(slug))
    rows = list(found.select_related("organization")[:2])
    if not rows:
        raise CommandError(f"There is no published contract {named}.")
    if len(rows) > 1:
        raise CommandError(f"Several organizations have {named}: name one with --organization.")
    return rows[0]
