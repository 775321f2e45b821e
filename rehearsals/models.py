"""Rehearsals with the steps of their reports, and how much a role that reconciles can carry. Only added to."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from proposals.models import ContractVersion
from tenancy.models import Organization


class Rehearsal(models.Model):
    """One run of a contract version against a business system, bound to the digests of both. Over when `ended_at` is.

    `faults` says why it broke off before its last step, if it did: it has not passed then.
    """

    class Verdict(models.TextChoices):
        PASSED = "passed"
        FAILED = "failed"

    organization = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="+")
    contract = models.ForeignKey(ContractVersion, on_delete=models.PROTECT, related_name="rehearsals")
    contract_digest = models.CharField(max_length=71)
    system = models.CharField(max_length=64)
    system_digest = models.CharField(max_length=71)
    target = models.CharField(max_length=255, blank=True)
    cases = models.JSONField(default=list)  # the arguments to ask with; a step takes one that is least used up so far
    overlay = models.JSONField()  # the durations played with, by name: ISO 8601
    planned = models.IntegerField()  # steps
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    asked_at = models.DateTimeField()
    begun_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    verdict = models.CharField(max_length=8, choices=Verdict, blank=True)
    broke_off = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True, verdict="")
                | Q(ended_at__isnull=False, verdict__in=["passed", "failed"]),
                name="rehearsals_a_verdict_stands_at_the_end",
            ),
            models.UniqueConstraint(
                fields=["contract"], condition=Q(ended_at__isnull=True), name="rehearsals_one_at_a_time_per_contract"
            ),
        ]
        indexes = [models.Index(fields=["contract", "-id"], name="rehearsals_of_a_contract")]

    @property
    def public_id(self) -> str:
        """`R-7`."""
        return f"R-{self.pk}"

    @property
    def passed(self) -> bool:
        return self.verdict == self.Verdict.PASSED


class Step(models.Model):
    """What one step showed: what was expected and observed, by name; the first gap; what proves it. Never changed."""

    class Verdict(models.TextChoices):
        PASSED = "passed"
        FAILED = "failed"
        NOT_TRIED = "not_tried"  # the contract or the system declares nothing that could be tried

    rehearsal = models.ForeignKey(Rehearsal, on_delete=models.PROTECT, related_name="steps")
    number = models.IntegerField()
    key = models.CharField(max_length=40)
    group = models.CharField(max_length=16)
    expected = models.JSONField()
    observed = models.JSONField()
    proof = models.JSONField()
    verdict = models.CharField(max_length=12, choices=Verdict)
    gap = models.CharField(max_length=40, blank=True)  # the first name whose value was not the expected one
    cause = models.CharField(max_length=16, blank=True)  # proposal, policy, adapter, interface, sentence
    owner = models.CharField(max_length=64, blank=True)  # the role that sees to it
    at = models.DateTimeField()
    took = models.FloatField()  # seconds

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["rehearsal", "key"], name="rehearsals_one_step_per_key"),
            models.CheckConstraint(
                condition=Q(verdict="failed") & ~Q(gap="") & ~Q(cause="") & ~Q(owner="")
                | ~Q(verdict="failed") & Q(gap=""),
                name="rehearsals_a_failure_names_its_gap",
            ),
        ]


class Capacity(models.Model):
    """How many unknown outcomes a day a role can take to their end, as somebody declared it. The newest one counts."""

    organization = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="+")
    role = models.CharField(max_length=64)
    per_day = models.PositiveIntegerField()
    words = models.TextField(blank=True)
    declared_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    declared_at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(per_day__gte=1), name="rehearsals_a_capacity_is_some")]
        indexes = [models.Index(fields=["organization", "role", "-id"], name="rehearsals_capacity_of_role")]
