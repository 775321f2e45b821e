"""`manage.py publish_contract FILE --by USER`: a contract file becomes a published draft."""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from proposals.models import ContractVersion
from proposals.publishing import NotAnOwner, SeveralOrganizations, VersionTaken, publish
from proposals.vetting import active_before, changes_between, findings_of
from systems.yamlfiles import FileError
from tenancy.models import Organization, User


class Command(BaseCommand):
    """Publishes one contract file; with errors in it, says file, line and field of each and publishes nothing."""

    help = "Publish a contract file as a draft version."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--by", required=True, metavar="USER", help="a contract owner")
        parser.add_argument("--organization", metavar="SLUG", help="needed when USER owns contracts in several")

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"]
        try:
            version = publish(
                text=file.read_bytes(),
                file_name=file.name,
                by=person(options["by"]),
                organization=organization(options["organization"]),
            )
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}.") from error
        except (FileError, NotAnOwner, SeveralOrganizations, VersionTaken) as error:
            raise CommandError(f"Nothing was published.\n{error}") from error
        self.stdout.write(f"{version.name}@{version.version} is published ({version.state}), {version.digest}.")
        before = active_before(version)
        if before is not None:
            for line in told_changes(before, version):
                self.stdout.write(line)
        for finding in findings_of(version):
            self.stdout.write(f"  {finding.severity}: {finding.place}: {finding.sentence()} [{finding.code}]")


def person(username: str) -> User:
    """The person of that user name; CommandError when there is none."""
    found = User.objects.filter(username=username, is_active=True).first()
    if found is None:
        raise CommandError(f"There is no person called {username}.")
    return found


def told_changes(earlier: ContractVersion, later: ContractVersion) -> Iterator[str]:
    """What the later version changes, one line for each change."""
    yield f"What changes from {earlier.name}@{earlier.version}:"
    for change in changes_between(earlier, later):
        yield f"  {change.about}: {change.sentence()}"


def organization(slug: str | None) -> Organization | None:
    """The organization of that slug, None for None; CommandError when there is none."""
    if slug is None:
        return None
    found = Organization.objects.filter(slug=slug).first()
    if found is None:
        raise CommandError(f"There is no organization called {slug}.")
    return found
