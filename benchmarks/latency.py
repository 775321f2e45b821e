"""How long after a signature the business system receives the order, and how long until its confirmation can be read.

    python -m benchmarks latency --count 200

At idle, one after the other, ours and the bare task in turn. For both sides the clock starts when the message is about
to be published: for ours that is the moment after the signature is committed. It stops when the target has the order in
hand, by the target's own monotonic clock, and for ours a second time when another database session reads `confirmed`
(asked every millisecond). What the act of signing takes before its commit is told, and belongs to neither.
"""

import os
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import psycopg
from celery.signals import before_task_publish

from benchmarks.goals import Line
from benchmarks.ratios import percentile, ratio_of_percentiles
from benchmarks.stage import Stage, stage

P95 = 0.95
AIMS = {"received": 1.6, "confirmed": 2.0}
IDLE = 0.03  # seconds between two samples


class Watch:
    """Notes the instant at which the latest message was about to be published."""

    def __init__(self) -> None:
        self.at = 0.0
        before_task_publish.connect(self._note)

    def _note(self, **_signal: Any) -> None:
        self.at = time.monotonic()


def measure(*, count: int, say: Callable[[str], None]) -> list[Line]:
    """p95 of both intervals, as ratios to the bare task's."""
    with stage(delay_ms=0) as scene:
        scene.worker("config", "handover", 2)
        scene.worker("benchmarks.bare", "bare", 2)
        watch = Watch()
        signing = Signing(scene, watch, count + 20)
        begun: dict[str, dict[str, float]] = {"bare.post": {}, "bare.look_and_post": {}}
        for number in range(-20, count):
            for task, instants in begun.items():
                reference = f"{task}-{number}"
                instants[reference] = _bare(watch, task, reference)
            signing.one()
            if number == -1:  # the warm-up ends
                signing.forget()
                begun = {task: {} for task in begun}
        arrived = {reference: at for at, reference in scene.arrivals()}
        peers = {
            task: [1000 * (arrived[reference] - at) for reference, at in instants.items()]
            for task, instants in begun.items()
        }
        ours = {
            "received": [1000 * (arrived[reference] - at) for reference, at in signing.begun().items()],
            "confirmed": signing.confirmed,
        }
    say(f"{count} samples each")
    return _lines(ours, peers, signing.acts)


def _lines(ours: dict[str, list[float]], peers: dict[str, list[float]], acts: list[float]) -> list[Line]:
    told = []
    for what, aim in AIMS.items():
        for task, theirs in peers.items():
            one = ratio_of_percentiles(ours[what], theirs, P95)
            judged = aim if task == "bare.post" else None
            label = f"latency at idle, p95: signature to {what}, to {task}"
            told.append(Line(label, one.median, one.high, judged, more=False))
    named = {**{f"ours to {what}": seen for what, seen in ours.items()}, **peers, "the act of signing": acts}
    for name, seen in named.items():
        told += [
            Line(f"latency at idle, {name}: p50", median(seen), unit="ms"),
            Line(f"latency at idle, {name}: p95", percentile(seen, P95), unit="ms"),
        ]
    return told


def _bare(watch: Watch, task: str, reference: str) -> float:
    from benchmarks.bare import app

    app.send_task(task, [reference], queue="bare")
    time.sleep(IDLE)
    return watch.at


class Signing:
    """Proposals that are signed one by one, each watched until its confirmation can be read."""

    def __init__(self, scene: Stage, watch: Watch, count: int) -> None:
        self._world, self._watch = scene.world, watch
        self._left = scene.unsigned(count)
        self._reader = psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)
        self._published: dict[int, float] = {}
        self.confirmed: list[float] = []
        self.acts: list[float] = []

    def one(self) -> None:
        """The next is signed; returns once it is confirmed."""
        from approvals import deciding

        revision = self._left.pop()
        began = time.monotonic()
        person = self._world.people["approver"]
        deciding.sign(person=person, proposal_id=revision.proposal_id, revision=revision.number, digest=revision.digest)
        signed = self._watch.at
        self.acts.append(1000 * (signed - began))
        self._published[revision.pk] = signed
        while not self._is_confirmed(revision.pk):
            if time.monotonic() > signed + 30:
                raise TimeoutError(f"revision {revision.pk} was signed and not confirmed")
            time.sleep(0.001)
        self.confirmed.append(1000 * (time.monotonic() - signed))
        time.sleep(IDLE)

    def forget(self) -> None:
        """What was measured so far was the warm-up."""
        self.confirmed.clear()
        self.acts.clear()
        self._published.clear()

    def begun(self) -> dict[str, float]:
        """By the reference that the target was told, the instant of each signature."""
        from intents.models import Intent

        found = Intent.objects.filter(revision__in=self._published).values_list("reference", "revision")
        return {str(reference): self._published[revision] for reference, revision in found}

    def _is_confirmed(self, revision: int) -> bool:
        asked = "SELECT 1 FROM intents_intent WHERE revision_id = %s AND state = 'confirmed'"
        return self._reader.execute(asked, [revision]).fetchone() is not None
