"""The server got the COMMIT and its answer got lost: what was committed is read back, and nothing is done twice."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from approvals.models import Authorization, Signature
from intents import dispatching, opening, verifying
from intents.failpoints import Step
from intents.models import Attempt, Intent
from proposals.models import Proposal
from tests.crash.faults import DatabaseProxy, child, through
from tests.crash.recovering import recover
from tests.intents.desk import lost_after_effect
from tests.world import World


@pytest.fixture
def proxy() -> Iterator[DatabaseProxy]:
    """What a child speaks to PostgreSQL through."""
    made = DatabaseProxy()
    yield made
    made.close()


def test_a_submission_whose_acknowledgement_was_lost_is_one_proposal_when_it_is_submitted_again(
    world: World, proxy: DatabaseProxy
) -> None:
    proxy.swallow_commit()
    assert through(proxy, lambda: world.propose(key="once")) == 3
    assert Proposal.objects.count() == 1, "the server had the COMMIT"
    again = world.propose(key="once")
    assert (Proposal.objects.count(), again.pk) == (1, Proposal.objects.get().pk)


def test_a_signature_whose_acknowledgement_was_lost_counts_once(world: World, proxy: DatabaseProxy) -> None:
    proposal = world.propose()
    proxy.swallow_commit()
    assert through(proxy, lambda: world.sign(proposal)) == 3
    assert (Signature.objects.count(), Authorization.objects.count()) == (1, 1)
    recover()
    assert world.status(Intent.objects.get()) == "confirmed"
    assert len(world.sandbox.effects()) == 1


def test_an_opening_whose_acknowledgement_was_lost_is_one_intent(
    world: World, proxy: DatabaseProxy, tmp_path: Path
) -> None:
    proposal = world.propose()
    world.sign(proposal)
    authorization = Authorization.objects.get()
    ended = child(
        lambda: opening.open_intent(authorization.pk),
        step=Step.BEFORE_OPENING_COMMIT,
        fault=lambda pid: proxy.swallow_commit(),
        folder=tmp_path,
        proxy=proxy,
    )
    assert ended == 3
    recover()
    assert (Intent.objects.count(), len(world.sandbox.effects())) == (1, 1)


@pytest.mark.parametrize("step", [Step.BEFORE_MARK_COMMIT, Step.BEFORE_OUTCOME_COMMIT])
def test_a_mark_or_an_outcome_whose_acknowledgement_was_lost_is_read_back_and_sent_once(
    world: World, proxy: DatabaseProxy, tmp_path: Path, step: Step
) -> None:
    intent = world.approved()
    ended = child(
        lambda: dispatching.hand_over(intent.pk, worker="cut"),
        step=step,
        fault=lambda pid: proxy.swallow_commit(),
        folder=tmp_path,
        proxy=proxy,
    )
    assert ended == 0, "it found its own commit"
    assert world.status(intent) == "confirmed"
    recover()
    assert (Attempt.objects.count(), intent.evidence.count(), len(world.sandbox.submissions())) == (1, 1, 1)


def test_a_probe_whose_acknowledgement_was_lost_confirms_once(
    world: World, proxy: DatabaseProxy, tmp_path: Path
) -> None:
    intent = lost_after_effect(world)
    ended = child(
        lambda: verifying.probe(intent.pk),
        step=Step.BEFORE_PROBE_COMMIT,
        fault=lambda pid: proxy.swallow_commit(),
        folder=tmp_path,
        proxy=proxy,
    )
    assert ended in (0, 3)
    recover()
    assert world.status(intent) == "confirmed"
    assert (Attempt.objects.count(), len(world.sandbox.submissions()), len(world.sandbox.effects())) == (1, 1, 1)


@pytest.mark.parametrize("times", [3])
def test_an_outcome_that_cannot_be_written_three_times_in_a_row_is_written_at_last_and_sent_once(
    world: World, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """Each writing meets a serialization failure, raised by the database itself."""
    from django.db import connection

    intent = world.approved()
    with connection.cursor() as cursor:
        cursor.execute("CREATE SEQUENCE failures")
        cursor.execute(
            "CREATE FUNCTION fail_for_a_while() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            f" IF nextval('failures') <= {times} THEN"
            " RAISE EXCEPTION 'could not serialize access' USING ERRCODE = 'serialization_failure'; END IF;"
            " RETURN NEW; END $$"
        )
        cursor.execute(
            "CREATE TRIGGER fail_for_a_while BEFORE INSERT ON intents_evidence"
            " FOR EACH ROW EXECUTE FUNCTION fail_for_a_while()"
        )
    try:
        world.hand_over(intent)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TRIGGER fail_for_a_while ON intents_evidence")
            cursor.execute("DROP FUNCTION fail_for_a_while()")
            cursor.execute("SELECT nextval('failures')")
            (tried,) = cursor.fetchone()
            cursor.execute("DROP SEQUENCE failures")
    assert tried > times
    assert (world.status(intent), len(world.sandbox.submissions()), intent.evidence.count()) == ("confirmed", 1, 1)
