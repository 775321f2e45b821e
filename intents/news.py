"""Rows of what came besides the answers: news a business system told by itself, and cancellations asked of it."""

from django.db import models
from django.db.models import Q

from approvals.models import Act
from tenancy.models import Organization


class Callback(models.Model):
    """One signed event that a business system told by itself, taken in once whatever is repeated.

    `event_at` is the sender's clock, `at` the database's; `evidence` is what it was worth.
    """

    organization = models.ForeignKey(Organization, on_delete=models.PROTECT)
    system = models.CharField(max_length=64)
    event = models.CharField(max_length=255)
    event_at = models.DateTimeField()
    at = models.DateTimeField()
    digest = models.CharField(max_length=71)
    evidence = models.OneToOneField("intents.Evidence", on_delete=models.PROTECT, related_name="callback")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "system", "event"], name="intents_one_event_once"),
        ]


class Cancellation(models.Model):
    """One request to take an order back, written down and committed before its first byte, and never repeated.

    `fields` name the effect to be taken back, as the business system showed it.
    """

    class Result(models.TextChoices):
        OPEN = "open"
        NOT_DELIVERED = "not_delivered"  # provably never left
        CANCELLED = "cancelled"  # the business system says so, naming us
        REFUSED = "refused"  # a documented refusal
        NO_ANSWER = "no_answer"  # nothing that says either

    intent = models.ForeignKey("intents.Intent", on_delete=models.PROTECT, related_name="cancellations")
    act = models.ForeignKey(Act, on_delete=models.PROTECT, related_name="+")
    fields = models.JSONField()
    marked_at = models.DateTimeField()
    deadline = models.DateTimeField()
    worker = models.CharField(max_length=200)
    result = models.CharField(max_length=16, choices=Result, default=Result.OPEN)
    status = models.IntegerField(null=True)
    fault = models.CharField(max_length=64, blank=True)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["intent"], condition=~Q(result="not_delivered"), name="intents_asked_back_once"
            ),
            models.UniqueConstraint(fields=["act"], name="intents_one_cancellation_per_request"),
        ]
