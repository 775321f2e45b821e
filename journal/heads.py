"""Where the journal ends now, and whether it ever held a given entry: enough to notice an older copy of it."""

from dataclasses import dataclass

from journal.models import Entry


@dataclass(frozen=True)
class End:
    """The newest entry: its number, and its digest in hexadecimal."""

    entry: int
    digest: str


def end() -> End | None:
    """The newest entry committed; None while nothing was told."""
    row = Entry.objects.order_by("-pk").values_list("pk", "digest").first()
    return End(row[0], bytes(row[1]).hex()) if row else None


def holds(known: End) -> bool:
    """Whether the journal holds this very entry. An older copy lacks it, and another history has another digest."""
    digest = Entry.objects.filter(pk=known.entry).values_list("digest", flat=True).first()
    return digest is not None and bytes(digest).hex() == known.digest
