"""What was sent, seen and concluded stays as it was, whoever asks."""

import pytest
from django.db import DatabaseError, transaction

from intents.holding import hold
from intents.models import Attempt, Conclusion, Evidence, Intent, Recheck
from intents.moving import Moved, NoSuchMove, move
from intents.states import State
from journal.clock import now
from journal.kinds import Kind
from journal.queries import entries_of
from journal.recording import Actor
from tests.intents.desk import conclude, lost_without_effect, take
from tests.world import World

ALWAYS = Actor.server()


@pytest.mark.parametrize("model", [Attempt, Evidence, Recheck, Intent])
def test_rows_that_tell_what_happened_are_never_deleted(world: World, model: type) -> None:
    world.done()
    with pytest.raises(DatabaseError), transaction.atomic():
        model.objects.all()._raw_delete("default")
    assert model.objects.exists()


def test_evidence_and_rechecks_are_never_changed(world: World) -> None:
    world.done()
    with pytest.raises(DatabaseError), transaction.atomic():
        Evidence.objects.update(verdict="nothing")
    with pytest.raises(DatabaseError), transaction.atomic():
        Recheck.objects.update(outcome="void")


def test_the_bytes_of_an_attempt_are_never_changed_and_it_is_closed_once(world: World) -> None:
    world.done()
    for columns in ({"body": b"other"}, {"digest": "sha256:00"}, {"url": "http://x"}, {"result": "not_delivered"}):
        with pytest.raises(DatabaseError), transaction.atomic():
            Attempt.objects.update(**columns)


def test_a_conclusion_is_never_rewritten(world: World) -> None:
    intent = lost_without_effect(world)
    take(world, intent)
    conclude(world, intent, "did_not_happen", then="close")
    with pytest.raises(DatabaseError), transaction.atomic():
        Conclusion.objects.update(finding="happened")


def test_an_ended_intent_keeps_its_end_and_every_intent_its_reference(world: World) -> None:
    intent = world.done()
    for columns in ({"state": "ready", "ended_at": None}, {"state": "refused"}, {"target": "D-43"}):
        with pytest.raises(DatabaseError), transaction.atomic():
            Intent.objects.filter(pk=intent.pk).update(**columns)


def step(intent: Intent, *, to: State, expected: State, fence: int) -> None:
    """One move, in a transaction of its own."""
    with transaction.atomic(durable=True):
        held = hold(intent.pk)
        move(
            held,
            to=to,
            actor=ALWAYS,
            now=now(),
            kind=Kind.INTENT_VOIDED,
            expected=expected,
            fence=fence,
            cause="test",
        )


def test_a_move_needs_an_arrow_the_expected_state_and_the_fence_or_changes_nothing(world: World) -> None:
    intent = world.approved()
    told = len(entries_of(intent.revision.proposal.public_id))
    with pytest.raises(NoSuchMove):
        step(intent, to=State.ACCEPTED, expected=State.READY, fence=0)
    with pytest.raises(Moved):
        step(intent, to=State.VOID, expected=State.READY, fence=1)
    with pytest.raises(Moved):
        step(intent, to=State.VOID, expected=State.SENDING, fence=0)
    intent.refresh_from_db()
    assert (intent.state, len(entries_of(intent.revision.proposal.public_id))) == ("ready", told)


def test_a_move_stands_with_its_entry_and_without_it_nothing_moves(world: World) -> None:
    intent = world.approved()
    step(intent, to=State.VOID, expected=State.READY, fence=0)
    entry = entries_of(intent.revision.proposal.public_id)[-1]
    assert (entry.kind, entry.facts["from"], entry.facts["to"]) == ("intent.voided", "ready", "void")
    assert entry.subjects["intent"] == intent.public_id
