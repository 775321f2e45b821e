"""Webhooks: where an agent's owners want to be told of a status, what is to be told, and what became of telling.

A notice is no effect: it may be told twice, and says no more than the status that was written down.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q

from proposals.models import Proposal
from tenancy.models import Agent


class Webhook(models.Model):
    """An address that is told of every status of one agent's proposals. Its secret is derived from `salt`, and kept
    nowhere (intents.subscribing). It ends, with who ended it; it is never deleted.
    """

    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="webhooks")
    url = models.CharField(max_length=500)
    salt = models.BinaryField()
    added_at = models.DateTimeField()
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    ended_at = models.DateTimeField(null=True)
    ended_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["agent", "url"], condition=Q(ended_at__isnull=True), name="intents_one_webhook_per_address"
            )
        ]


class Fact(models.Model):
    """An entry of the journal that may have changed a status, left by the database in the entry's own transaction
    wherever somebody wants to be told; gone once the notices of it are written.
    """

    entry = models.BigIntegerField(unique=True)


class Notice(models.Model):
    """One status of one revision, to be told to one webhook as `msg_<id>`."""

    class State(models.TextChoices):
        WAITING = "waiting"
        DELIVERED = "delivered"
        GIVEN_UP = "given_up"

    webhook = models.ForeignKey(Webhook, on_delete=models.PROTECT, related_name="notices")
    proposal = models.ForeignKey(Proposal, on_delete=models.PROTECT, related_name="notices")
    entry = models.BigIntegerField()  # of the journal: where the status was written down
    revision = models.IntegerField()
    status = models.CharField(max_length=32)
    at = models.DateTimeField()  # since when it stands
    state = models.CharField(max_length=16, choices=State, default=State.WAITING)
    tries = models.IntegerField(default=0)
    next_try_at = models.DateTimeField(null=True)
    delivered_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["webhook", "entry"], name="intents_one_notice_per_fact"),
            models.CheckConstraint(
                condition=Q(state="waiting", next_try_at__isnull=False) | ~Q(state="waiting"),
                name="intents_a_waiting_notice_is_tried",
            ),
        ]
        indexes = [
            models.Index(fields=["next_try_at"], condition=Q(state="waiting"), name="intents_notices_due"),
            models.Index(fields=["webhook", "-id"], name="intents_notices_of_webhook"),
            models.Index(fields=["webhook", "proposal", "-id"], name="intents_notices_of_proposal"),
        ]

    @property
    def public_id(self) -> str:
        """`msg_7`: the same however often it is told."""
        return f"msg_{self.pk}"


class Telling(models.Model):
    """One try to tell a notice: what was answered, or why nothing was. `person` asked for it, where one did."""

    notice = models.ForeignKey(Notice, on_delete=models.PROTECT, related_name="tellings")
    at = models.DateTimeField()
    status = models.IntegerField(null=True)
    fault = models.CharField(max_length=64, blank=True)
    took_ms = models.IntegerField()
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
