"""Whether it is alive, whether it is ready, and what the pages around a mistake say."""

import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import httpx2
import pytest
from django.db.models import F
from django.test import Client

from demo.embedded import EmbeddedServers
from intents import sweeping
from intents.dispatching import look_at
from intents.marking import Marked, decide_and_mark
from intents.models import Progress
from journal.clock import now as database_now
from proposals.models import Proposal
from tenancy.models import Admission
from tests.processes import Process, until
from tests.web.people import Person
from tests.world import World
from web.formatting import times


def test_ready_means_that_a_sweep_completed_a_moment_ago(database: None) -> None:
    client = Client(HTTP_HOST="localhost")
    before = client.get("/healthz/ready")
    assert before.status_code == 503
    assert before.json()["parts"]["sweep"] == {"ready": False, "says": "no sweep has completed yet"} | {
        "took_ms": before.json()["parts"]["sweep"]["took_ms"]
    }
    sweeping.sweep()
    now_swept = client.get("/healthz/ready")
    assert (now_swept.status_code, now_swept.json()["parts"]["sweep"]["ready"]) == (503, True)
    for queue in ("handover", "probes"):
        Progress.objects.create(duty=queue, at=database_now())
    after = client.get("/healthz/ready")
    assert (after.status_code, after.json()["ready"]) == (200, True)


def test_not_ready_while_a_worker_is_frozen_though_its_process_is_there_and_ready_again_afterwards(
    database: None, start_worker: Callable[..., Process], start_beat: Callable[[], Process]
) -> None:
    workers = {"handover": start_worker(queues="handover"), "probes": start_worker(queues="probes")}
    start_worker(queues="sweeps")
    start_beat()
    client = Client(HTTP_HOST="localhost")

    def unready() -> set[str]:
        return {name for name, part in client.get("/healthz/ready").json()["parts"].items() if not part["ready"]}

    until(lambda: unready() == set(), what="ready")
    for queue, worker in workers.items():
        worker.kill(signal.SIGSTOP)
        until(lambda queue=queue: unready() == {queue}, seconds=20, what=f"{queue} is told")
        worker.kill(signal.SIGCONT)
        until(lambda: unready() == set(), seconds=20, what="ready again")


def test_workers_that_all_wait_for_an_answer_within_its_deadline_are_at_work(world: World) -> None:
    intent = world.approved()
    long_ago = database_now() - timedelta(minutes=5)
    Progress.objects.create(duty="handover", at=long_ago)
    client = Client(HTTP_HOST="localhost")

    def told() -> dict[str, object]:
        return client.get("/healthz/ready").json()["parts"]["handover"]

    assert told()["ready"] is False
    came_of_it = decide_and_mark(look_at(intent.pk), worker="test")
    assert isinstance(came_of_it, Marked)
    assert told()["ready"] is True


def test_a_frozen_database_is_told_at_once_however_often_it_is_asked_and_is_ready_again_afterwards(
    start_web: Callable[..., str], private_servers: Callable[..., EmbeddedServers]
) -> None:
    servers = private_servers(durable=False)
    url = start_web(env={"DATABASE_URL": servers.database_url})
    assert servers.postgres is not None

    def database() -> dict[str, object]:
        return httpx2.get(f"{url}/healthz/ready", timeout=10).json()["parts"]["database"]

    assert database()["ready"] is True
    os.kill(servers.postgres.process.pid, signal.SIGSTOP)
    try:
        with ThreadPoolExecutor(24) as askers:  # three times as many as the server has threads
            told = list(askers.map(lambda _: database(), range(24)))
        assert {part["says"] for part in told} == {"no answer within 2 s"}
        assert httpx2.get(f"{url}/healthz/live", timeout=2).json() == {"live": True}
    finally:
        os.kill(servers.postgres.process.pid, signal.SIGCONT)
    until(lambda: database()["ready"] is True, what="ready again")


def test_alive_asks_nothing_of_anybody(database: None) -> None:
    assert Client(HTTP_HOST="localhost").get("/healthz/live").json() == {"live": True}


def test_only_an_operator_stops_admissions_and_says_why(world: World) -> None:
    operator, approver = Person(world, "operator"), Person(world, "approver")
    assert approver.open("/operations/").status_code == 404
    form = {"organization": "demo", "subject": "tool", "name": "refund_create"}
    token = operator.form("/operations/", "stop-1")
    assert operator.send("/operations/admissions/", form=token | form, move="stop").status_code == 422
    stopped = operator.send("/operations/admissions/", form=token | form, move="stop", reason="Audit of <refunds>")
    assert stopped.status_code == 303
    assert "Audit of &lt;refunds&gt;" in operator.text("/operations/")
    assert operator.send("/operations/admissions/", form=token | form, move="resume").status_code == 303
    assert "Audit of" not in operator.text("/operations/")


def test_a_stop_may_end_by_itself_at_a_time_of_the_readers_wall(world: World) -> None:
    operator, address = Person(world, "operator"), "/operations/admissions/"
    form = operator.form("/operations/", "stop-1") | {"subject": "tool", "name": "refund_create", "move": "stop"}
    for wrong, says in (("x", "Give a day and a time."), ("0001-01-01T00:00", "it would stop nothing")):
        answer = operator.send(address, form=form, reason="Audit.", until=wrong)
        assert (answer.status_code, says in answer.content.decode()) == (422, True)
        assert ">Audit.</textarea>" in answer.content.decode(), "what was typed stays"
    tomorrow = times.local(database_now() + timedelta(days=1))
    assert operator.send(address, form=form, reason="Audit.", until=f"{tomorrow:%Y-%m-%dT%H:%M}").status_code == 303
    switch = Admission.objects.get(subject="tool", name="refund_create", organization=world.demo)
    assert switch.stopped_until == tomorrow.replace(second=0, microsecond=0)
    assert "Resume admissions" in operator.text("/operations/")
    Admission.objects.filter(pk=switch.pk).update(stopped_until=database_now())
    assert "Resume admissions" not in operator.text("/operations/"), "it has run out"


def test_the_journal_is_read_by_the_auditor_of_its_organization_alone(world: World) -> None:
    world.propose("D-42")
    auditor = Person(world, "auditor")
    assert "Proposal submitted" in auditor.text("/journal/")
    answer = auditor.send("/journal/verifications/", form=auditor.form("/journal/", "verify-form"))
    assert "The journal verifies" in answer.content.decode()
    assert Person(world, "approver").open("/journal/").status_code == 404
    assert "P-1" not in Person(world, "stranger").text("/journal/?organization=other")


def test_the_journals_verification_finds_a_cut_tail_and_tells_nothing_of_another_organization(world: World) -> None:
    world.propose("D-42")
    auditor, stranger = Person(world, "auditor"), Person(world, "stranger")
    Proposal.objects.update(chain_length=F("chain_length") + 1)  # as if its last entry had been cut off
    form = auditor.form("/journal/", "verify-form")
    assert "does not verify" in auditor.send("/journal/verifications/", form=form).content.decode()
    form = stranger.form("/journal/", "verify-form")
    assert "The journal verifies" in stranger.send("/journal/verifications/", form=form).content.decode()
    Proposal.objects.update(chain_length=F("chain_length") - 1)


@pytest.mark.parametrize(
    "address",
    [
        "/journal/?organization=%00",
        "/contracts/%00/2/",
        "/contracts/ouvrir_revue_dossier/%00/",
        "/contracts/ouvrir_revue_dossier/2/?organization=a%00b",
        "/proposals/P-%00/",
        "/proposals/P-" + "9" * 4500 + "/",
        "/receipts/A-99999999999999999999/",
        "/reconciliation/I-99999999999999999999/",
    ],
)
def test_an_address_that_names_nothing_a_database_can_hold_is_not_found(world: World, address: str) -> None:
    assert Person(world, "auditor").open(address).status_code == 404
