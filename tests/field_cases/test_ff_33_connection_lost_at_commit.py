"""FF-33: the connection to the database is cut at the COMMIT of a signature; whoever tries again sees the truth."""

from collections.abc import Callable, Iterator

import pytest
from django.db import connection

from approvals.models import Signature
from intents.models import Intent
from tests.clients import AgentClient, PersonClient
from tests.world import World

_CUT = """
CREATE FUNCTION cut_the_connection() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER cut_at_commit AFTER INSERT ON approvals_signature
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION cut_the_connection();
"""


@pytest.fixture
def heal(world: World) -> Iterator[Callable[[], None]]:
    """Whatever signs loses its connection while it commits, until `heal()`."""

    def take_away() -> None:
        with connection.cursor() as cursor:
            cursor.execute("DROP TRIGGER IF EXISTS cut_at_commit ON approvals_signature")
            cursor.execute("DROP FUNCTION IF EXISTS cut_the_connection")

    with connection.cursor() as cursor:
        cursor.execute(_CUT)
    yield take_away
    take_away()


def test_a_signature_whose_commit_was_lost_is_not_there_and_signing_again_makes_one_decision(
    world: World, start_web: Callable[..., str], heal: Callable[[], None]
) -> None:
    url = start_web()
    agent, approver = AgentClient(url, world.secrets["agent-a"]), PersonClient(url, "approver")
    proposal = agent.propose().json()["id"]
    fields = approver.form(f"/proposals/{proposal}/check/", "approve-form")
    lost = approver.post(f"/proposals/{proposal}/approvals/", fields)
    assert "Open the case again to see where it stands" in lost.text, "nobody knows, so neither done nor failed is said"
    assert "Traceback" not in lost.text
    assert (Signature.objects.count(), Intent.objects.count()) == (0, 0)
    assert agent.get(proposal)["status"] == "awaiting_approval"
    heal()
    assert approver.post(f"/proposals/{proposal}/approvals/", fields).status_code == 200
    assert agent.get(proposal)["status"] == "approved"
    again = approver.post(f"/proposals/{proposal}/approvals/", fields)
    assert again.status_code == 409
    assert Signature.objects.count() == 1
