"""An object let go although the outcome on it is not established: one person asks, another lifts."""

from django.conf import settings
from django.db import models
from django.db.models import Q


class Lift(models.Model):
    """Somebody asked to let the object of an open case go, and why; `lifted_by` is somebody else."""

    case = models.ForeignKey("intents.Case", on_delete=models.PROTECT, related_name="lifts")
    why = models.TextField()
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    asked_at = models.DateTimeField()
    lifted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    lifted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["case"], condition=Q(lifted_at__isnull=True), name="intents_one_lift_asked"
            ),
            models.CheckConstraint(
                condition=Q(lifted_by__isnull=True, lifted_at__isnull=True)
                | Q(lifted_by__isnull=False, lifted_at__isnull=False) & ~Q(lifted_by=models.F("asked_by")),
                name="intents_a_lift_takes_two",
            ),
        ]
