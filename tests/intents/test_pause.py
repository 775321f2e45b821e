"""A database older than the epoch file hands nothing over, until its ledger was compared and an operator lifts that."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import IntegrityError, connection, connections
from psycopg import sql

from intents import comparing, dispatching, marking, pausing, withholding
from intents.models import Attempt, Evidence, Intent, Pause, Progress
from journal.queries import entries_of_organization
from tests.sandboxing import Sandbox
from tests.world import World, world_as_new


@pytest.fixture
def epoch_file(tmp_path: Path, settings: Any) -> Path:
    """Where this installation keeps where its journal ended."""
    file = tmp_path / "epoch.json"
    settings.EPOCH_FILE = str(file)
    return file


@pytest.fixture
def house(database: None, sandbox: Sandbox, epoch_file: Path) -> Iterator[World]:
    """A world whose database is put back: §2.7 cannot hold in a ledger that has forgotten its own hand-overs."""
    withholding.forget()
    yield world_as_new(sandbox)
    withholding.forget()


class Backup:
    """The whole database at one moment, and the way back to it."""

    def __init__(self) -> None:
        self.name = str(connection.settings_dict["NAME"])
        self._of_server("CREATE DATABASE {copy} TEMPLATE {name}")

    def restore(self) -> None:
        """The database is as it was then; whoever uses it has to connect anew."""
        self._of_server("DROP DATABASE {name} WITH (FORCE)", "ALTER DATABASE {copy} RENAME TO {name}")

    def _of_server(self, *statements: str) -> None:
        connections.close_all()
        names = {"name": sql.Identifier(self.name), "copy": sql.Identifier(f"{self.name}_backup")}
        url = re.sub(r"/[^/?]*(\?|$)", r"/postgres\1", os.environ["DATABASE_URL"])
        with psycopg.connect(url, autocommit=True) as server:
            server.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()",
                [self.name],
            )
            for statement in statements:
                server.execute(sql.SQL(statement).format(**names))


def compared(world: World) -> Pause:
    """The operator had everything compared."""
    pause = Pause.objects.get(organization=world.demo, lifted_at__isnull=True)
    comparing.compare_with_targets(person=world.people["operator"], pause=pause)
    pause.refresh_from_db()
    return pause


def lift(world: World, reason: str = "Compared with the reviews team.") -> None:
    """The operator lets hand-over go on."""
    pausing.lift(person=world.people["operator"], organization=world.demo.pk, reason=reason)
    withholding.forget()


def test_after_a_restore_nothing_is_sent_twice_and_what_was_done_is_found(house: World, epoch_file: Path) -> None:
    done, waiting = house.approved("D-42"), house.approved("D-51", arguments=_on(house, "D-51"))
    house.sweep()
    backup = Backup()
    house.hand_over(done)
    assert house.status(done) == "confirmed"
    house.sweep()
    backup.restore()
    done, waiting = Intent.objects.get(pk=done.pk), Intent.objects.get(pk=waiting.pk)
    assert done.state == "ready", "by this ledger it was never sent"
    for intent in (done, waiting):
        assert house.hand_over(intent).waiting == "paused"
    house.sweep(2)
    assert len(house.sandbox.submissions()) == 1
    assert "paused after a restore" in house.standing(done).statement
    assert json.loads(epoch_file.read_text())["paused"]["cause"] == "database_older_than_epoch"
    pause = compared(house)
    assert {name: pause.findings[name] for name in ("found", "nothing_found", "left")} == {
        "found": 1,
        "nothing_found": 1,
        "left": 0,
    }
    assert (house.status(done), Evidence.objects.get(intent=done).source) == ("confirmed", "probe")
    lift(house)
    assert house.hand_over(waiting).state == "confirmed"
    assert len(house.sandbox.submissions()) == len(house.sandbox.effects()) == 2
    foreign = Pause.objects.get(organization=house.other)
    comparing.compare_with_targets(person=house.people["stranger"], pause=foreign)
    pausing.lift(person=house.people["stranger"], organization=house.other.pk, reason="Nothing of ours was sent.")
    house.sweep()
    assert json.loads(epoch_file.read_text())["paused"] is None, "the next restore is compared with today"


def _on(world: World, dossier: str) -> dict[str, object]:
    version = world.sandbox.call("GET", f"/dossiers/{dossier}")["version"]
    return {"dossier_ref": dossier, "expected_version": version, "reason_code": "ECART_MONTANT"}


def _older(world: World, epoch_file: Path) -> None:
    """As after a restore: the file knows an entry that the journal does not hold."""
    world.sweep()
    kept = json.loads(epoch_file.read_text())
    epoch_file.write_text(json.dumps({**kept, "entry": kept["entry"] + 7}))
    withholding.forget()


def test_the_transaction_that_marks_is_refused_by_the_database_whatever_the_worker_believes(
    house: World, epoch_file: Path
) -> None:
    intent = house.approved()
    look = dispatching.look_at(intent.pk)
    assert look is not None
    _older(house, epoch_file)
    pausing.at_start()
    with pytest.raises(IntegrityError) as caught:
        marking.decide_and_mark(look, worker="started before")
    assert withholding.refused_by_database(caught.value)
    assert (Attempt.objects.count(), house.sandbox.submissions()) == (0, [])


def test_only_a_compared_pause_is_lifted_with_a_reason_and_every_organization_has_its_own(
    house: World, epoch_file: Path
) -> None:
    _older(house, epoch_file)
    assert pausing.compare()
    assert set(Pause.objects.values_list("organization", flat=True)) == {house.demo.pk, house.other.pk}
    with pytest.raises(pausing.NotCompared):
        lift(house)
    compared(house)
    with pytest.raises(ValueError, match="reason"):
        lift(house, reason="  ")
    lift(house)
    told = entries_of_organization(house.demo.pk, limit=1)[0]
    assert (told.kind, told.actor) == ("handover.resumed", "operator")
    assert Pause.objects.filter(lifted_at__isnull=True).get().organization == house.other
    with pytest.raises(pausing.NotPaused):
        lift(house)


def test_a_lifted_doubt_pauses_nothing_again_and_another_one_does(house: World, epoch_file: Path) -> None:
    _older(house, epoch_file)
    house.sweep(3)
    assert Pause.objects.count() == 2
    for organization, by in ((house.demo, "operator"), (house.other, "stranger")):
        pause = Pause.objects.get(organization=organization)
        comparing.compare_with_targets(person=house.people[by], pause=pause)
        pausing.lift(person=house.people[by], organization=organization.pk, reason="Compared.")
    house.sweep()
    assert not Pause.objects.filter(lifted_at__isnull=True).exists()
    _older(house, epoch_file)
    house.sweep()
    assert Pause.objects.filter(lifted_at__isnull=True).count() == 2


@pytest.mark.parametrize("spoilt", ["missing", "unreadable"])
def test_a_file_that_is_gone_pauses_a_database_that_once_had_one_and_no_other(
    house: World, epoch_file: Path, spoilt: str
) -> None:
    assert pausing.compare() is False, "a first start has nothing to compare with"
    house.approved()
    house.sweep()
    assert Progress.objects.filter(duty="epoch").exists()
    if spoilt == "missing":
        epoch_file.unlink()
    else:
        epoch_file.write_text("{")
    assert pausing.compare() is True
    assert set(Pause.objects.values_list("cause", flat=True)) == {f"epoch_file_{spoilt}"}
    house.sweep()
    assert not epoch_file.exists() or epoch_file.read_text() == "{", "nothing is overwritten while it is in doubt"


def test_without_an_epoch_file_nothing_is_compared(house: World, settings: Any) -> None:
    settings.EPOCH_FILE = ""
    house.sweep()
    assert house.done().state == "confirmed"
    assert not Pause.objects.exists()


def test_a_comparison_out_of_time_goes_on_where_it_stopped(house: World, epoch_file: Path) -> None:
    for dossier in ("D-42", "D-51", "D-44"):
        house.approved(dossier, arguments=_on(house, dossier))
    _older(house, epoch_file)
    pausing.compare()
    pause = Pause.objects.get(organization=house.demo)
    assert comparing.compare_with_targets(person=house.people["operator"], pause=pause, seconds=0)["left"] == 3
    assert compared(house).findings["nothing_found"] == 3
