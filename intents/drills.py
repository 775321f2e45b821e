"""Drills: what people practised with a tool, and what really happened as its proof. Rows and reads.

An *unknown* was taken to its end by a person; a *stop* of admissions was made, and lifted again.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q

from tenancy.models import Organization


class Drill(models.Model):
    """A drill of one tool that was done, by named people, at `done_at`. Never changed, never deleted.

    `intent` is the unknown that was taken to its end; `stopped_at` the beginning of the stop that `done_at` ended, and
    `subject`, `name` its switch.
    """

    class Kind(models.TextChoices):
        UNKNOWN = "unknown"
        STOP = "stop"

    organization = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="+")
    tool = models.CharField(max_length=64)
    kind = models.CharField(max_length=16, choices=Kind)
    people = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="+")
    done_at = models.DateTimeField()
    words = models.TextField()
    intent = models.ForeignKey("intents.Intent", on_delete=models.PROTECT, null=True, related_name="drills")
    subject = models.CharField(max_length=16, blank=True)
    name = models.CharField(max_length=64, blank=True)
    stopped_at = models.DateTimeField(null=True)
    recorded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="unknown", intent__isnull=False) | Q(kind="stop", stopped_at__isnull=False),
                name="intents_a_drill_has_its_proof",
            ),
            models.UniqueConstraint(fields=["intent"], name="intents_one_drill_per_unknown"),
            models.UniqueConstraint(
                fields=["organization", "tool", "subject", "name", "stopped_at"],
                condition=Q(kind="stop"),
                name="intents_one_drill_per_stop_and_tool",
            ),
        ]
        indexes = [models.Index(fields=["organization", "tool", "kind", "-done_at"], name="intents_drills_of_tool")]


def latest(*, organization: Organization, tool: str) -> dict[str, Drill | None]:
    """The last drill of each kind for a tool, by `Drill.Kind`; None where there never was one. See `.people.all()`."""
    rows = Drill.objects.filter(organization=organization, tool=tool).prefetch_related("people")
    return {kind: rows.filter(kind=kind).order_by("-done_at").first() for kind in Drill.Kind.values}
