"""`manage.py verify_journal`: hash the stored bytes, follow every link, compare every end with its proposal."""

import re
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection, transaction

from journal.chain import snapshot, verify
from proposals.models import Proposal


class Command(BaseCommand):
    """Verifies the journal, whole or one proposal's chain; exits with 1 and names the first broken entry."""

    help = "Verify the journal: bytes, links, personal content, and the ends kept on the proposals."

    def add_arguments(self, parser: Any) -> None:
        """`--proposal P-42` verifies one chain."""
        parser.add_argument("--proposal", metavar="P-42", help="verify one proposal's chain only")

    def handle(self, *args: Any, **options: Any) -> None:
        """Verify inside one snapshot, so that writers at work are not mistaken for tampering."""
        chain = _chain(options["proposal"])
        if Proposal._meta.db_table not in connection.introspection.table_names():
            raise CommandError("This database was never migrated: there is no journal in it to verify.")
        with transaction.atomic(durable=True):
            snapshot()
            rows = Proposal.objects.exclude(chain_length=0)
            rows = rows.filter(pk=chain.removeprefix("P-")) if chain else rows
            heads = {f"P-{pk}": (bytes(digest), n) for pk, digest, n in _heads(rows)}
            report = verify(chain=chain, heads=heads)
        if not report.ok:
            raise CommandError(f"The journal does not verify. Entry {report.first_broken}: {report.reason}.")
        if chain and not report.entries:
            raise CommandError(f"There is no proposal {chain}, and the journal tells nothing of one.")
        self.stdout.write(
            f"The journal verifies: {report.entries} entries, {report.chains} chains, every end in place."
        )


def _chain(named: str | None) -> str | None:
    """The chain of the proposal that was named, None for all of them; CommandError for what names none."""
    if named is None or re.fullmatch(r"P-[1-9][0-9]{0,17}", named):
        return named
    raise CommandError(f"“{named}” is not the number of a proposal, such as P-42.")


def _heads(rows: Any) -> Any:
    return rows.values_list("pk", "chain_digest", "chain_length").iterator()
