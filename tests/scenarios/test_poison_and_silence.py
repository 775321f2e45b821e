"""An order that kills its worker and a system that is silent hold up nobody else: real workers, real signals."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from intents.models import Attempt, Circuit, Intent
from journal.clock import now
from tests.processes import Process, until
from tests.world import World

PEOPLE = ("U-2041", "U-2042", "U-2043")


def archival(world: World, person: str) -> Intent:
    """An approved order to the directory."""
    given = {"user_id": person, "confirm_user_id": person, "reason": "LEFT_COMPANY"}
    proposal = world.propose(tool="archive_user_by_id", arguments=given)
    world.sign(proposal)
    return world.open(proposal)


def review(world: World, dossier: str) -> Intent:
    """An approved order to the reviews."""
    version = world.sandbox.call("GET", f"/dossiers/{dossier}")["version"]
    given = {"dossier_ref": dossier, "expected_version": version, "reason_code": "ECART_MONTANT"}
    return world.approved(dossier, arguments=given)


def test_others_flow_on_while_one_kills_its_worker_and_a_whole_system_is_silent(
    world: World,
    child_env: dict[str, str],
    start_worker: Callable[..., Process],
    start_beat: Callable[[], Process],
    tmp_path: Path,
) -> None:
    child_env |= {"CIRCUIT_SILENCES": "2", "CIRCUIT_COOL_OFF_SECONDS": "60"}
    for person in PEOPLE:
        archival(world, person)
    world.sandbox.fault("silence_before_effect", route="GET /users", times=None, seconds=60)
    poison = review(world, "D-42")
    others = [review(world, dossier) for dossier in ("D-51", "D-44", "D-45", "D-46")]
    # The first that is marked kills its worker: it is this one, and the others come when one was just lost.
    Intent.objects.filter(pk__in=[order.pk for order in others]).update(next_look_at=now() + timedelta(hours=1))
    start_beat()
    start_worker(concurrency=3, failpoint=f"marked:kill:once={tmp_path}/poisoned")
    until((tmp_path / "poisoned").exists, what="a killed worker")
    Intent.objects.filter(pk__in=[order.pk for order in others], state="ready").update(next_look_at=now())
    until(lambda: {world.status(order) for order in others} == {"confirmed"}, seconds=30, what="the others")
    until(lambda: world.status(poison) == "outcome_unknown", seconds=15, what="the one that killed its worker")
    until(lambda: Circuit.objects.filter(system="directory", opened_at__isnull=False), seconds=30, what="left alone")
    assert Attempt.objects.filter(intent=poison).count() == 1, "nobody tries again what killed a worker"
    assert not Circuit.objects.filter(system="reviews", opened_at__isnull=False)
    until(lambda: Intent.objects.filter(waiting="circuit").exists(), what="an order that waits visibly")
    assert len(world.sandbox.effects()) == len(others)
