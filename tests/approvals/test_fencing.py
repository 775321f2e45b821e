"""Who holds an object: an outcome in doubt makes others wait, or refuses them where the contract says so."""

from itertools import product

import pytest
from django.db import connection, transaction

from approvals import fencing
from approvals.refusals import Refusal
from intents.models import Case
from intents.states import FENCING, State
from journal.clock import now
from journal.reads import ask
from tests.world import World


def test_the_states_that_fence_are_those_of_the_intent_machine() -> None:
    assert set(fencing.FENCING) == {state.value for state in FENCING}


def test_an_unknown_outcome_holds_its_object_and_no_other(world: World) -> None:
    world.sandbox.fault("drop_before_effect")
    intent = world.done()
    assert intent.state == "unknown"
    held = {"organization": world.demo, "system": "reviews"}
    assert fencing.holder(**held, target="D-42") == intent.public_id
    assert fencing.holder(**held, target="D-42", apart_from=intent.revision_id) is None
    assert fencing.holder(**held, target="D-43") is None
    assert fencing.holder(organization=world.other, system="reviews", target="D-42") is None


def test_whether_an_object_is_held_is_what_the_whole_question_answers(world: World) -> None:
    intent = world.approved()
    held = {"organization": world.demo, "system": "reviews", "target": "D-42"}
    case = {"kind": "unknown", "cause": "deadline", "opened_at": now(), "role": "support"}
    seen = set()
    for state in State:
        for reopened, lifted, open_case in product((False, True), repeat=3):
            with transaction.atomic():
                columns = {"reopened_at": now() if reopened else None, "fence_lifted_at": now() if lifted else None}
                with connection.cursor() as cursor:  # no rule of the machine stands in the way of a combination
                    cursor.execute("SET LOCAL session_replication_role = replica")
                    rules = "SELECT conname FROM pg_constraint WHERE conrelid = 'intents_intent'::regclass"
                    cursor.execute(f"{rules} AND contype = 'c'")
                    for (rule,) in cursor.fetchall():
                        cursor.execute(f'ALTER TABLE intents_intent DROP CONSTRAINT "{rule}"')
                    for name, value in {"state": state.value, **columns}.items():
                        cursor.execute(f"UPDATE intents_intent SET {name} = %s WHERE id = %s", [value, intent.pk])
                if open_case:
                    Case.objects.create(intent=intent, **case)
                answer = ask(held=fencing.is_held(**held))["held"]
                assert answer == (fencing.holder(**held) is not None), (state, columns, open_case)
                seen.add(answer)
                transaction.set_rollback(True)
    assert seen == {True, False}


def test_a_contract_may_refuse_rather_than_wait(world: World) -> None:
    world.sandbox.fault("drop_before_effect")
    intent = world.done()
    assert world.propose().state == "awaiting_approval"
    world.publish("ouvrir_revue_dossier-2", version="3", execution={"on_fence": "refuse"})
    with pytest.raises(Refusal) as caught:
        world.propose()
    assert (caught.value.code, caught.value.status) == ("object_fenced", 409)
    assert intent.public_id in caught.value.detail
