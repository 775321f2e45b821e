"""`manage.py rehearse_demo`: every active contract of the demo is rehearsed, and told what it still lacks."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from demo.cast import OWNERS
from demo.rehearsing import NoSandbox, cases_for
from proposals.contracts import contract_of
from proposals.models import ContractVersion
from rehearsals import clearing
from rehearsals.models import Rehearsal
from rehearsals.reporting import gap_of
from rehearsals.running import CannotRehearse, ask, run
from tenancy.models import User

ORGANIZATION = "demo"
REHEARSED = "rehearsed; the drills of people are not recorded"
PER_DAY = 40
WORDS = "A number for the demo: nobody has measured it."


class Command(BaseCommand):
    """Rehearses one contract after the other; drills are done by people, so the waiver of a write stays until then."""

    help = "Rehearse every active contract of the demo (only with DEMO=1, while it runs)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("names", nargs="*", metavar="NAME", help="only these contracts")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.DEMO:
            raise CommandError("This is not a demo (DEMO is not set): nothing was rehearsed.")
        rows = ContractVersion.objects.filter(organization__slug=ORGANIZATION, state=ContractVersion.State.ACTIVE)
        if options["names"]:
            rows = rows.filter(name__in=options["names"])
        versions = list(rows.select_related("organization").order_by("name"))
        failed = [version.name for version in versions if not self._rehearsed(version)]
        if failed:
            raise CommandError(f"Not passed: {', '.join(failed)}.")

    def _rehearsed(self, version: ContractVersion) -> bool:
        publisher, activator = (User.objects.get(username=name) for name in OWNERS[ORGANIZATION])
        named = f"{version.name}@{version.version}"
        try:
            cases = cases_for(version.name)
            asked = ask(version=version, against=contract_of(version).execution.system, cases=cases, by=publisher)
        except NoSandbox as error:
            raise CommandError(f"Nothing was rehearsed: {error}. Start the demo first.") from error
        except CannotRehearse as error:
            self.stdout.write(f"{named}: {error}")
            return False
        rehearsal = run(asked)
        self._say(named, rehearsal)
        if rehearsal.passed:
            self._settle(version, publisher=publisher, activator=activator)
        return rehearsal.passed

    def _say(self, named: str, rehearsal: Rehearsal) -> None:
        verdict = "passed" if rehearsal.passed else f"has not passed {rehearsal.broke_off}".rstrip()
        self.stdout.write(f"{named}: {verdict} ({rehearsal.public_id}, {rehearsal.steps.count()} steps)")
        for step in rehearsal.steps.filter(verdict="failed").order_by("number"):
            gap = gap_of(step)
            if gap is not None:
                self.stdout.write(f"  {step.key}: {gap['words']} {gap['name']}: {gap['observed']!r}")

    def _settle(self, version: ContractVersion, *, publisher: User, activator: User) -> None:
        """The capacity is declared, and the waiver says what is true now; it is gone where nothing is missing."""
        contract = contract_of(version)
        lacks_capacity = any(need.key == "capacity" and not need.met for need in clearing.needs(version))
        if lacks_capacity:
            clearing.declare_capacity(
                organization=version.organization,
                role=contract.reconciliation.escalate_to,
                per_day=PER_DAY,
                by=publisher,
                words=WORDS,
            )
        # A version that somebody else published is activated by whoever of the two did not.
        by = publisher if version.published_by_id == activator.pk else activator
        row = clearing.activate(
            organization=version.organization, name=version.name, version=version.version, by=by, waiver=REHEARSED
        )
        for sentence in clearing.missing(row):
            self.stdout.write(f"  still missing: {sentence}")
        if not row.waiver:
            self.stdout.write("  active without a waiver")
