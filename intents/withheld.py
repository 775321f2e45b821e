"""What holds hand-overs back: silences that open a circuit, circuits, and pauses after a restore. Rows only."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from tenancy.models import Organization


class Silence(models.Model):
    """One attempt, or one look before it, that a business system did not answer. Repeated, it is the same row."""

    organization = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="+")
    system = models.CharField(max_length=64)
    intent = models.ForeignKey("intents.Intent", on_delete=models.PROTECT, related_name="silences")
    attempt = models.IntegerField()
    at = models.DateTimeField()
    cause = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["intent", "attempt"], name="intents_one_silence_per_attempt"),
        ]
        indexes = [models.Index(fields=["organization", "system", "at"], name="intents_silences")]


class Circuit(models.Model):
    """One business system as one organization finds it. Open (`opened_at`), nothing is observed or sent but by `trial`.

    `next_try_at` is when one intent may try; `trial_until` is when its leave to try ends whatever became of it.
    """

    organization = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="+")
    system = models.CharField(max_length=64)
    opened_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    cause = models.CharField(max_length=64, blank=True)
    tries = models.IntegerField(default=0)
    next_try_at = models.DateTimeField(null=True)
    trial = models.ForeignKey("intents.Intent", on_delete=models.PROTECT, null=True, related_name="+")
    trial_until = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "system"], name="intents_one_circuit_per_system"),
            models.CheckConstraint(
                condition=Q(opened_at__isnull=True) | Q(next_try_at__isnull=False),
                name="intents_open_circuits_try_again",
            ),
        ]


class Pause(models.Model):
    """Hand-over of an organization stands still because the database is older than what was kept beside it.

    `key` is the same in every organization and in the epoch file. `findings` counts what a comparison showed.
    """

    organization = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="+")
    key = models.UUIDField()
    began_at = models.DateTimeField()
    cause = models.CharField(max_length=64)
    facts = models.JSONField(default=dict)
    compared_at = models.DateTimeField(null=True)
    findings = models.JSONField(default=dict)
    lifted_at = models.DateTimeField(null=True)
    lifted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    reason = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "key"], name="intents_one_pause_per_restore"),
            models.CheckConstraint(
                condition=Q(lifted_at__isnull=True)
                | (Q(lifted_by__isnull=False, compared_at__isnull=False) & ~Q(reason="")),
                name="intents_a_lifted_pause_says_who_and_why",
            ),
        ]
