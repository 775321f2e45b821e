"""Where a list of intents stands, and whether all of it is settled: ended, or in doubt and said so."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Standing:
    """State and reference of each intent; those in doubt whose first scheduled look-up is still to come."""

    states: dict[int, str] = field(default_factory=dict)
    references: dict[int, str] = field(default_factory=dict)
    unprobed: set[int] = field(default_factory=set)

    @property
    def settled(self) -> bool:
        """Nothing is still to be handed over, or under way."""
        return not {"ready", "sending", "accepted"} & set(self.states.values())

    def lost_and_duplicated(self, arrivals: Sequence[tuple[float, str]]) -> tuple[int, int]:
        """Intents without an effect that nobody is told of, and intents with more than one effect."""
        effects = Counter(reference for _, reference in arrivals)
        told = {pk for pk, state in self.states.items() if state in ("unknown", "ready", "sending", "accepted")}
        lost = sum(not effects[reference] for pk, reference in self.references.items() if pk not in told)
        return lost, sum(effects[reference] > 1 for reference in self.references.values())


def standing(ids: Sequence[int]) -> Standing:
    """Read now, from the database."""
    from intents.models import Intent

    found = Standing()
    for row in Intent.objects.filter(pk__in=ids).values("pk", "state", "reference", "probes_made"):
        found.states[row["pk"]], found.references[row["pk"]] = row["state"], str(row["reference"])
        if row["state"] == "unknown" and not row["probes_made"]:
            found.unprobed.add(row["pk"])
    return found


def publish(ids: Sequence[int]) -> None:
    """Each intent's message lies in the queue."""
    from config.celery import app

    for pk in ids:
        app.send_task("intents.tasks.hand_over", [pk])
