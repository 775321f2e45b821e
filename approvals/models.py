"""What people decided: signatures, the authorization they add up to, and the other acts of review."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from proposals.models import Proposal, Revision


class Authorization(models.Model):
    """Leave to act once, on one revision, until an instant. The baton that an intent takes.

    `round` is 1 for the first authorization of a revision, and one more for each new attempt that
    people sign after establishing that the one before did not happen.
    """

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="authorizations")
    round = models.IntegerField(default=1)
    granted_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    voided_at = models.DateTimeField(null=True)
    cause = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["revision"], condition=Q(voided_at__isnull=True), name="approvals_one_live_authorization"
            ),
            models.UniqueConstraint(fields=["revision", "round"], name="approvals_one_authorization_per_round"),
            models.CheckConstraint(
                condition=Q(voided_at__isnull=True, cause="") | Q(voided_at__isnull=False) & ~Q(cause=""),
                name="approvals_void_has_a_cause",
            ),
        ]


class Signature(models.Model):
    """A person's signature, `A-<id>`, over the canonical `payload`: what was shown and what it binds."""

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="signatures")
    round = models.IntegerField(default=1)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    role = models.CharField(max_length=64)  # the role that entitled the person
    payload = models.BinaryField()  # canonical bytes, see approvals.signatures
    digest = models.CharField(max_length=71)
    signed_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    authorization = models.ForeignKey(Authorization, on_delete=models.PROTECT, null=True, related_name="signatures")
    revoked_at = models.DateTimeField(null=True)
    revoked_reason = models.CharField(max_length=64, blank=True)
    revoked_words = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["revision", "round", "person"],
                condition=Q(revoked_at__isnull=True),
                name="approvals_one_signature_per_person",
            )
        ]

    @property
    def public_id(self) -> str:
        """`A-7`."""
        return f"A-{self.pk}"


class Act(models.Model):
    """Another act of review on one revision: refusal, request for changes, comment, request for cancellation."""

    class Kind(models.TextChoices):
        REFUSAL = "refusal"
        CHANGE_REQUEST = "change_request"
        COMMENT = "comment"
        CANCELLATION_REQUEST = "cancellation_request"

    proposal = models.ForeignKey(Proposal, on_delete=models.PROTECT, related_name="acts")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="acts")
    round = models.IntegerField(default=1)
    kind = models.CharField(max_length=24, choices=Kind)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(max_length=64, blank=True)
    words = models.TextField(blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["revision", "round"], condition=Q(kind="refusal"), name="approvals_one_refusal_rejects"
            )
        ]


class Exclusion(models.Model):
    """Who may not sign one round of a revision, and why: the person who concluded that the effect did not happen."""

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="exclusions")
    round = models.IntegerField()
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    why = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["revision", "round", "person"], name="approvals_one_exclusion_per_person")
        ]
