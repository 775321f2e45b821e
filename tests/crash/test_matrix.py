"""Every step at which a process can end × every fault: at most one effect, nothing lost, nothing falsely final.

The table in `docs/reliability.md` is written by this run: `COUNTERSIGN_WRITE_DOCS=1` rewrites it, and without that
the last test here holds it equal to what was seen.
"""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from celery import current_app
from django.conf import settings
from django.db import connections

from demo.embedded import EmbeddedServers
from demo.telling import quiet
from intents import cancelling, dispatching, opening, verifying
from intents.failpoints import Step
from intents.models import Cancellation, Intent
from systems.adapters import registry
from tests.calling_back import configured, post, told
from tests.conftest import flush_broker
from tests.crash import table
from tests.crash.faults import DatabaseProxy, child
from tests.crash.recovering import recover
from tests.embedded_plugin import new_home
from tests.intents.desk import lost_after_effect
from tests.intents.test_cancelling import ask
from tests.proxying import Proxy
from tests.world import World

OPENING = (Step.BEFORE_OPENING_COMMIT, Step.OPENED)
PROBING = (Step.LOOKED_UP, Step.BEFORE_PROBE_COMMIT)
CALLED_BACK = (Step.BEFORE_CALLBACK_COMMIT,)
CANCELLING = (Step.CANCELLATION_MARKED, Step.CANCELLATION_ANSWERED)
NEVER_SENT_AFTER_THE_MARK = {("kill", Step.MARK_COMMITTED), ("kill", Step.MARKED)}
FAULTS = ("kill", "cut database", "flush broker", "restart broker", "cut target")


@pytest.fixture(scope="module")
def broker(django_db_setup: None) -> Iterator[EmbeddedServers]:
    """A broker of this module's own: it is flushed and restarted."""
    given = {"DATABASE_URL": os.environ["DATABASE_URL"]}
    servers = EmbeddedServers(new_home(), durable=False, environ=given, say=quiet)
    servers.start()
    before = settings.REDIS_URL
    _publish_to(servers.redis_url)
    yield servers
    _publish_to(before)
    servers.discard()


def _publish_to(url: str) -> None:
    settings.REDIS_URL = url
    current_app.conf.broker_url = url
    current_app._pool = None
    current_app.amqp._producer_pool = None


@pytest.fixture
def target(sandbox_process: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Proxy]:
    """The business system behind a proxy that can be cut; it calls back."""
    proxy = Proxy(sandbox_process.url)  # type: ignore[attr-defined]
    monkeypatch.setenv("SANDBOX_URL", proxy.url)
    (tmp_path / "systems").mkdir()
    with configured(tmp_path / "systems"):
        yield proxy
    proxy.close()
    monkeypatch.undo()
    registry.reload()


@pytest.fixture
def database_proxy() -> Iterator[DatabaseProxy]:
    """What a child speaks to PostgreSQL through."""
    proxy = DatabaseProxy()
    yield proxy
    proxy.close()


@pytest.fixture(scope="module")
def seen() -> dict[tuple[str, str], str]:
    """What every cell of the table came to in this run."""
    return {}


def test_every_step_of_the_code_stands_in_the_table_and_is_met_somewhere_in_the_code() -> None:
    assert table.missing(Path(__file__).parents[2]) == ""


@pytest.mark.parametrize("step", list(Step))
def test_a_fault_at_any_step_makes_at_most_one_effect_and_loses_nothing(
    broker: EmbeddedServers,
    target: Proxy,
    world: World,
    database_proxy: DatabaseProxy,
    seen: dict[tuple[str, str], str],
    tmp_path: Path,
    step: Step,
) -> None:
    faults: dict[str, Callable[[int], None]] = {
        "kill": lambda pid: os.kill(pid, signal.SIGKILL),
        "cut database": lambda pid: database_proxy.cut(),
        "flush broker": lambda pid: flush_broker(),
        "restart broker": lambda pid: _restart(broker),
        "cut target": lambda pid: target.cut(),
    }
    for place, fault in enumerate(FAULTS):
        file = f"D-{9000 + place}"
        world.sandbox.put("dossiers", file, version=7, state="active", establishment="A")
        act = _prepared(world, step, file)
        folder = tmp_path / str(place)
        folder.mkdir()
        ended = child(act, step=step, fault=faults[fault], folder=folder, proxy=database_proxy)
        assert ended in {-9} if fault == "kill" else {0, 3}, f"{fault}: the child ended with {ended}"
        target.listen_again()
        recover()
        seen[step, fault] = _came_of_it(world, step, fault, file)


def _came_of_it(world: World, step: Step, fault: str, file: str) -> str:
    intent = Intent.objects.get(target=file)
    reference = {"client_ref": str(intent.reference)}
    orders = [one for one in world.sandbox.requests(method="POST", **reference) if one["path"] == "/review-requests"]
    effects = len(_made(world, intent))
    never_sent = (fault, step) in NEVER_SENT_AFTER_THE_MARK
    came = (world.status(intent), len(orders), effects)
    assert came == (("outcome_unknown", 0, 0) if never_sent else ("confirmed", 1, 1)), fault
    if step in CANCELLING:
        _cancelled_at_most_once(world, intent, fault)
    return table.cell(world.status(intent), effects=effects)


def _prepared(world: World, step: Step, file: str) -> Callable[[], object]:
    """The call that comes to the step."""
    if step in OPENING:
        proposal = world.propose(file)
        world.sign(proposal)
        authorization = world.revision(proposal).authorizations.get()
        return lambda: opening.open_intent(authorization.pk)
    if step in PROBING:
        intent = lost_after_effect(world, target=file)
        return lambda: verifying.probe(intent.pk)
    if step in CALLED_BACK:
        intent = lost_after_effect(world, target=file)
        return lambda: post(told(intent, dossier_ref=file))
    if step in CANCELLING:
        intent = lost_after_effect(world, target=file)
        ask(world, intent)
        verifying.probe(intent.pk)
        return lambda: cancelling.cancel(intent.pk, worker="victim")
    intent = world.approved(file)
    return lambda: dispatching.hand_over(intent.pk, worker="victim")


def _made(world: World, intent: Intent) -> list[dict]:
    """What the order made; that it was cancelled afterwards is an effect of its own."""
    found = world.sandbox.effects(client_ref=str(intent.reference))
    return [effect for effect in found if not effect["kind"].endswith(".cancelled")]


def _cancelled_at_most_once(world: World, intent: Intent, fault: str) -> None:
    """One request for it at most, and what became of it is written: nothing is left open."""
    (effect,) = _made(world, intent)
    asked = [one for one in world.sandbox.submissions() if one["path"].endswith(f"/{effect['ref']}/cancellation")]
    row = Cancellation.objects.get(intent=intent)
    assert (len(asked) <= 1, row.result != "open") == (True, True), fault
    assert (row.result == "cancelled") <= (len(asked) == 1), fault


def _restart(broker: EmbeddedServers) -> None:
    broker.stop_valkey()
    broker.start_valkey()


def test_the_table_in_the_docs_is_what_this_run_saw(seen: dict[tuple[str, str], str]) -> None:
    connections.close_all()
    root = Path(__file__).parents[2]
    assert len(seen) == len(Step) * len(FAULTS), "run the whole file: the table is made of every cell"
    made = table.made([str(step) for step in Step], FAULTS, seen)
    if os.environ.get("COUNTERSIGN_WRITE_DOCS"):
        table.write(root, made)
    assert table.committed(root) == made
