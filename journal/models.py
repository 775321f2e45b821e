"""Two tables that only grow. The database refuses UPDATE, DELETE and TRUNCATE on them, whoever asks."""

from django.db import models
from django.db.models import Q


class Entry(models.Model):
    """One fact, told once. `body` holds the canonical bytes (RFC 8785) that `digest` is the SHA-256 of.

    The columns beside `body` repeat parts of it for searching; verification reads `body` alone.
    `chain` names what the entry is linked to (a proposal, `P-42`); an entry without a chain stands alone.
    """

    at = models.DateTimeField()
    organization = models.BigIntegerField()
    actor_kind = models.CharField(max_length=16)
    actor = models.CharField(max_length=200)
    kind = models.CharField(max_length=64)
    chain = models.CharField(max_length=64, null=True)  # noqa: DJ001  absent, not empty: it stands alone
    position = models.IntegerField(null=True)
    subjects = models.JSONField(default=dict)
    body = models.BinaryField()
    digest = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["chain", "position"], name="journal_one_entry_per_link"),
            models.CheckConstraint(
                condition=Q(chain__isnull=True, position__isnull=True) | Q(chain__isnull=False, position__gte=1),
                name="journal_chain_and_position_go_together",
            ),
        ]
        indexes = [models.Index(fields=["organization", "-id"], name="journal_by_organization")]


class Personal(models.Model):
    """Words and names told beside an entry, bound to it by a salted digest, so that they can be erased.

    `entry` is the id of the entry. Its one permitted change empties `content` and `salt` and names the
    entry that tells of the erasure.
    """

    entry = models.BigIntegerField(primary_key=True)
    content = models.BinaryField(null=True)
    salt = models.BinaryField(null=True)
    erased_by = models.BigIntegerField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(content__isnull=False, salt__isnull=False, erased_by__isnull=True)
                | Q(content__isnull=True, salt__isnull=True, erased_by__isnull=False),
                name="journal_personal_whole_or_erased",
            )
        ]
