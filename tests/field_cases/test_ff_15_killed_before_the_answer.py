"""FF-15: the web process dies between claiming a key and answering; the key is usable at once, for one proposal."""

import threading
from collections.abc import Callable
from contextlib import suppress

import httpx2
from django.db import connection, transaction

from proposals.models import ContractVersion, Proposal
from tests.clients import AgentClient
from tests.processes import until
from tests.world import World


def _waits_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted)")
        return bool(cursor.fetchone()[0])


def test_a_server_that_dies_before_it_answers_leaves_the_key_free(
    world: World, start_web: Callable[..., str], own_web: Callable[[], tuple[str, Callable[[], None]]]
) -> None:
    url, kill = own_web()
    client = AgentClient(url, world.secrets["agent-a"])

    def lost() -> None:
        with suppress(httpx2.TransportError):
            client.propose(key="K1")

    with transaction.atomic():
        list(ContractVersion.objects.select_for_update().filter(name="ouvrir_revue_dossier"))
        caller = threading.Thread(target=lost)
        caller.start()
        until(_waits_for_a_lock, what="a submission under way")
        kill()
        caller.join(10)
    agent = AgentClient(start_web(), world.secrets["agent-a"])
    answer = agent.propose(key="K1")
    assert answer.status_code == 201
    again = agent.propose(key="K1")
    assert (again.json()["id"], again.headers["Idempotent-Replayed"]) == (answer.json()["id"], "true")
    assert Proposal.objects.count() == 1
