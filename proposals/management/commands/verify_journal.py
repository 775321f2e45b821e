"""`manage.py verify_journal`: hash the stored bytes, follow every link, compare every end with its proposal."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

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
        chain: str | None = options["proposal"]
        with transaction.atomic(durable=True):
            snapshot()
            rows = Proposal.objects.exclude(chain_length=0)
            rows = rows.filter(pk=chain.removeprefix("P-")) if chain else rows
            heads = {f"P-{pk}": (bytes(digest), n) for pk, digest, n in _heads(rows)}
            report = verify(chain=chain, heads=heads)
        if not report.ok:
            raise CommandError(f"The journal does not verify. Entry {report.first_broken}: {report.reason}.")
        self.stdout.write(
            f"The journal verifies: {report.entries} entries, {report.chains} chains, every end in place."
        )


def _heads(rows: Any) -> Any:
    return rows.values_list("pk", "chain_digest", "chain_length").iterator()
