"""`manage.py activate_contract NAME@VERSION --by OTHER`: a published version becomes the active one."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from proposals.management.commands.publish_contract import organization, person, told_changes
from proposals.models import ContractVersion
from proposals.publishing import (
    CannotActivate,
    NotAnOwner,
    SeveralOrganizations,
    UnknownVersion,
    casualties,
    owned_organization,
)
from rehearsals.clearing import NotCleared, activate
from tenancy.models import Organization

DEMO_WAIVER = "not rehearsed"  # in a demo what is missing is waived, visibly; elsewhere somebody says why


class Command(BaseCommand):
    """Activates one version, and says beforehand what ends with the version it retires."""

    help = "Make a published contract version the active one; the one before is retired."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("contract", metavar="NAME@VERSION")
        parser.add_argument("--by", required=True, metavar="USER", help="a contract owner who did not publish it")
        parser.add_argument("--organization", metavar="SLUG", help="needed when USER owns contracts in several")
        parser.add_argument("--waiver", default="", help="why it is active although something is missing; shown")
        parser.add_argument("--dry-run", action="store_true", help="only say what would end")

    def handle(self, *args: Any, **options: Any) -> None:
        name, _, version = options["contract"].partition("@")
        by = person(options["by"])
        try:
            owned = owned_organization(by, organization(options["organization"]))
            self._say_what_ends(owned, name, version)
            if options["dry_run"]:
                return
            waiver = options["waiver"] or (DEMO_WAIVER if settings.DEMO else "")
            row = activate(organization=owned, name=name, version=version, by=by, waiver=waiver)
        except NotCleared as error:
            lines = "".join(f"\n  {sentence}" for sentence in error.missing)
            raise CommandError(
                f"Nothing was changed. What is missing (or say why not, with --waiver):{lines}"
            ) from error
        except (NotAnOwner, SeveralOrganizations, UnknownVersion, CannotActivate) as error:
            raise CommandError(f"Nothing was changed. {error}") from error
        # What is missing is said even where it is waived.
        suffix = f", under the waiver “{row.waiver}”" if row.waiver else ""
        self.stdout.write(f"{row.name}@{row.version} is active{suffix}.")

    def _say_what_ends(self, owned: Organization, name: str, version: str) -> None:
        retired = ContractVersion.objects.filter(organization=owned, name=name, state="active").first()
        if retired is None or retired.version == version:
            return
        chosen = ContractVersion.objects.filter(organization=owned, name=name, version=version).first()
        if chosen is not None:
            for line in told_changes(retired, chosen):
                self.stdout.write(line)
        lost = casualties(retired)
        self.stdout.write(f"{name}@{retired.version} is retired by this. What ends with it:")
        self.stdout.write(f"  awaiting a decision: {', '.join(lost.open_proposals) or 'nothing'}")
        self.stdout.write(f"  approved, not handed over: {', '.join(lost.live_authorizations) or 'nothing'}")
