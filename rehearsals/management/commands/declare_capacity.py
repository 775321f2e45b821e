"""`manage.py declare_capacity ROLE NUMBER --by USER`: how many unknown outcomes a day a role takes to their end."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from proposals.management.commands.publish_contract import organization, person
from proposals.publishing import NotAnOwner, SeveralOrganizations, owned_organization
from rehearsals.clearing import declare_capacity


class Command(BaseCommand):
    """Declares the capacity of one role; the newest declaration counts."""

    help = "Declare how many unknown outcomes a day a role can take to their end."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("role")
        parser.add_argument("per_day", type=int, metavar="NUMBER")
        parser.add_argument("--by", required=True, metavar="USER", help="a contract owner")
        parser.add_argument("--organization", metavar="SLUG", help="needed when USER owns contracts in several")
        parser.add_argument("--words", default="", help="how you know")

    def handle(self, *args: Any, **options: Any) -> None:
        by = person(options["by"])
        try:
            owned = owned_organization(by, organization(options["organization"]))
            row = declare_capacity(
                organization=owned, role=options["role"], per_day=options["per_day"], by=by, words=options["words"]
            )
        except (NotAnOwner, SeveralOrganizations, ValueError) as error:
            raise CommandError(f"Nothing was declared. {error}") from error
        self.stdout.write(f"{row.role}: {row.per_day} unknown outcomes a day.")
