"""A rehearsal that was asked for on a page, run by a worker. Carries an id, nothing else."""

from celery import shared_task

from rehearsals.models import Rehearsal
from rehearsals.running import run


@shared_task(name="rehearsals.tasks.rehearse")
def rehearse(rehearsal_id: int) -> None:
    """It is run, unless it has begun already: a message may come late, or twice."""
    rehearsal = Rehearsal.objects.select_related("contract", "organization").filter(pk=rehearsal_id).first()
    if rehearsal is not None:
        run(rehearsal)
