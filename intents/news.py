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
    """The one request to take an order back that an intent may have: asked for, then marked before its first byte.

    `fields` name the effect to be taken back, as the business system showed it. It is never sent a second time.
    """

    class Result(models.TextChoices):
        ASKED = "asked"  # nothing was sent for it yet
        NEEDLESS = "needless"  # there is no effect that could be taken back
        OPEN = "open"  # being sent
        NOT_DELIVERED = "not_delivered"  # provably never left
        CANCELLED = "cancelled"  # the business system says so, naming us
        REFUSED = "refused"  # a documented refusal
        NO_ANSWER = "no_answer"  # nothing that says either

    intent = models.ForeignKey("intents.Intent", on_delete=models.PROTECT, related_name="cancellations")
    act = models.OneToOneField(Act, on_delete=models.PROTECT, related_name="cancellation")
    fields = models.JSONField(default=dict)
    marked_at = models.DateTimeField(null=True)
    deadline = models.DateTimeField(null=True)
    worker = models.CharField(max_length=200, blank=True)
    result = models.CharField(max_length=16, choices=Result, default=Result.ASKED)
    status = models.IntegerField(null=True)
    fault = models.CharField(max_length=64, blank=True)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["intent"], condition=~Q(result="not_delivered"), name="intents_asked_back_once"
            ),
            models.CheckConstraint(
                condition=Q(result__in=["asked", "needless"], marked_at__isnull=True)
                | ~Q(result__in=["asked", "needless"]) & Q(marked_at__isnull=False, deadline__isnull=False),
                name="intents_asked_back_when_marked",
            ),
        ]
        indexes = [
            models.Index(fields=["intent"], condition=Q(result__in=["asked", "open"]), name="intents_to_ask_back"),
        ]
