"""Each guard taken away, one at a time: what it promises holds with it, and is seen to break without it.

Two orders are made alike; the promise is asked of the first with the guard, of the second without. Where the guard is
an index of the database, the second order is made anew after the index is gone.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from django.db import IntegrityError, connection, transaction

from approvals import deciding
from approvals.refusals import Refusal
from intents import dispatching
from intents.failpoints import Step
from intents.holding import hold
from intents.models import Attempt, Intent
from intents.moving import Moved, move
from intents.states import State
from journal.clock import now as database_now
from journal.kinds import Kind
from journal.recording import Actor
from tenancy import tokens
from tenancy.models import AgentToken
from tests.crash import guards
from tests.crash.apart import Broken
from tests.crash.faults import DatabaseProxy, child
from tests.intents.desk import conclude, lost_without_effect, take
from tests.rewiring import replaced, rewired
from tests.sandboxing import Sandbox
from tests.world import World, world_as_new

FILES = ("D-9201", "D-9202")


@pytest.fixture
def bare(database: None, sandbox: Sandbox) -> World:
    """A world whose invariants nobody checks in the end: here they are broken on purpose."""
    world = world_as_new(sandbox)
    _files(world)
    return world


def _files(world: World) -> None:
    for file in FILES:
        world.sandbox.put("dossiers", file, version=7, state="active", establishment="A")


def _orders(world: World, intent: Intent) -> int:
    """How many orders with the intent's reference the business system received."""
    ours = world.sandbox.requests(method="POST", client_ref=str(intent.reference))
    return sum(one["path"] == "/review-requests" for one in ours)


def _is_not_sent(world: World, intent: Intent) -> Callable[[], None]:
    """The promise of whoever looks at the intent now: nothing more is sent."""

    def promise() -> None:
        before = _orders(world, intent)
        world.hand_over(intent)
        if _orders(world, intent) != before:
            raise Broken("it was sent")

    return promise


def _token_revoked(world: World) -> None:
    tokens.revoke(actor=world.people["operator"], token=AgentToken.objects.get(agent__name="agent-a"))


def _changed(**fields: object) -> Callable[[World], None]:
    def change(world: World) -> None:
        for file in FILES:
            world.sandbox.put("dossiers", file, **fields)

    return change


MEANWHILE: dict[str, Callable[[World], object]] = {
    "admissions": lambda world: world.stop("system", "reviews"),
    "contract_active": lambda world: world.publish("ouvrir_revue_dossier-2", version="3"),
    "token": _token_revoked,
    "requester_entitled": lambda world: world.end_role("requester"),
    "approvals": lambda world: world.end_role("approver"),
    "target_in_scope": _changed(establishment="B"),
    "rules": _changed(state="closed"),
    "target_version": _changed(version=8),
}


@pytest.mark.parametrize("check", list(MEANWHILE))
def test_what_changed_after_the_approval_stops_it_by_the_check_that_asks(bare: World, check: str) -> None:
    first, second = (bare.approved(file) for file in FILES)
    MEANWHILE[check](bare)
    _is_not_sent(bare, first)()
    assert guards.is_broken_without(guards.the_check(check), _is_not_sent(bare, second))


def test_a_connection_configured_otherwise_after_the_approval_stops_it(bare: World, tmp_path: Path) -> None:
    first, second = (bare.approved(file) for file in FILES)
    with rewired(tmp_path / "systems", replaced(("timeouts: {connect: PT1S", "timeouts: {connect: PT2S"))):
        _is_not_sent(bare, first)()
        assert guards.is_broken_without(guards.the_check("system_unchanged"), _is_not_sent(bare, second))


def test_nothing_is_asked_about_an_object_in_doubt_where_the_contract_refuses_to_wait(bare: World) -> None:
    bare.publish("ouvrir_revue_dossier-2", version="3", execution={"on_fence": "refuse"})
    for file in FILES:
        lost_without_effect(bare, target=file)

    def is_refused(file: str) -> Callable[[], None]:
        def promise() -> None:
            given = {"dossier_ref": file, "expected_version": 7, "reason_code": "PIECE_MANQUANTE"}
            with suppress(Refusal):
                bare.propose(arguments=given)
                raise Broken("it was admitted")

        return promise

    first, second = FILES
    is_refused(first)()
    assert guards.is_broken_without(guards.the_check("object_fence"), is_refused(second))


def test_an_intent_is_moved_only_from_where_it_stands(bare: World) -> None:
    """A worker that was away writes "it never left" over what others found out meanwhile."""
    first, second = (lost_without_effect(bare, target=file) for file in FILES)

    def stays(intent: Intent) -> None:
        with suppress(Moved):
            _never_left(intent)
        if Intent.objects.get(pk=intent.pk).state != State.UNKNOWN:
            raise Broken("what was found out is overwritten")

    stays(first)
    assert guards.is_broken_without(guards.state_and_attempt_of_a_move, lambda: stays(second))


def _never_left(intent: Intent) -> None:
    with transaction.atomic(durable=True):
        now = database_now()
        move(
            hold(intent.pk),
            to=State.READY,
            actor=Actor.worker("away"),
            now=now,
            kind=Kind.ATTEMPT_NOT_DELIVERED,
            expected=State.SENDING,
            fence=1,
            deadline=None,
            next_look_at=now,
        )


def test_nothing_is_begun_after_its_time(bare: World) -> None:
    first, second = (bare.approved(file) for file in FILES)
    with guards.held_up_past_its_time():
        _is_not_sent(bare, first)()
        assert guards.is_broken_without(guards.time_left_to_begin, _is_not_sent(bare, second))


def test_an_effect_of_the_first_attempt_is_looked_for_before_the_second(bare: World) -> None:
    first, second = (_signed_again_although_it_happened(bare, file) for file in FILES)
    _is_not_sent(bare, first)()
    assert guards.is_broken_without(guards.the_look_before_a_further_attempt, _is_not_sent(bare, second))


def _signed_again_although_it_happened(world: World, file: str) -> Intent:
    intent = lost_without_effect(world, target=file)
    take(world, intent)
    conclude(world, intent, "did_not_happen", then="new_attempt")
    shown, person = world.revision(intent.revision.proposal), world.people["approver"]
    deciding.sign(person=person, proposal_id=shown.proposal_id, revision=shown.number, digest=shown.digest, round=2)
    world.open(shown.proposal)
    (sent,) = world.sandbox.requests(method="POST", client_ref=str(intent.reference))
    world.sandbox.call("POST", "/review-requests", json.loads(sent["body"]))  # it happens after all
    return intent


@pytest.fixture
def proxy() -> Iterator[DatabaseProxy]:
    """What a child speaks to PostgreSQL through."""
    made = DatabaseProxy()
    yield made
    made.close()


def _two_decide_at_once(world: World, file: str, *, proxy: DatabaseProxy, folder: Path) -> int:
    """Two orders on one file: one decided and stopped there, the other was sent into silence; returns how many left."""
    folder.mkdir()
    slow = world.approved(file)
    given = {"dossier_ref": file, "expected_version": 7, "reason_code": "PIECE_MANQUANTE"}
    quick = world.approved(arguments=given)
    world.sandbox.fault("drop_after_effect")

    def overtakes(_pid: int) -> None:
        world.hand_over(quick)
        assert quick.state == State.UNKNOWN

    ended = child(
        lambda: dispatching.hand_over(slow.pk, worker="slow"),
        step=Step.DECIDED,
        fault=overtakes,
        folder=folder,
        proxy=proxy,
    )
    assert ended == 0
    return _orders(world, slow) + _orders(world, quick)


def test_the_database_lets_one_doubt_be_on_an_object(bare: World, proxy: DatabaseProxy, tmp_path: Path) -> None:
    first, second = FILES
    assert _two_decide_at_once(bare, first, proxy=proxy, folder=tmp_path / "with") == 1
    with guards.without_index(guards.ONE_DOUBT_PER_OBJECT):
        assert _two_decide_at_once(bare, second, proxy=proxy, folder=tmp_path / "without") == 2


def test_the_database_lets_an_approval_be_used_once(bare: World) -> None:
    first, second = FILES
    assert _orders_of_one_put_back_by_hand(bare, first) == 1
    with guards.without_index(guards.ONE_ATTEMPT_PER_AUTHORIZATION):
        assert _orders_of_one_put_back_by_hand(bare, second) == 2


def _orders_of_one_put_back_by_hand(world: World, file: str) -> int:
    """Its outcome is unknown, and somebody who must not wrote "ready" into its row."""
    intent = lost_without_effect(world, target=file)
    Intent.objects.filter(pk=intent.pk).update(
        state=State.READY, deadline=None, next_probe_at=None, next_look_at=database_now()
    )
    with suppress(IntegrityError):
        dispatching.hand_over(intent.pk, worker="again")
    return _orders(world, intent)


def test_the_database_lets_an_attempt_have_a_number_of_its_own(bare: World) -> None:
    first, second = FILES
    assert _attempts_of_one_that_counts_anew(bare, first) == [1]
    with guards.without_index(guards.ONE_ATTEMPT_PER_NUMBER):
        assert _attempts_of_one_that_counts_anew(bare, second) == [1, 1]


def _attempts_of_one_that_counts_anew(world: World, file: str) -> list[int]:
    """Its first attempt never left, and somebody writes down a second one as the first."""
    intent = world.approved(file)
    with guards.held_up_past_its_time():
        world.hand_over(intent)
    again = Attempt.objects.get(intent=intent)
    again.pk = None
    with suppress(IntegrityError), transaction.atomic():
        again.save(force_insert=True)
    return list(Attempt.objects.filter(intent=intent).values_list("number", flat=True))


def test_an_index_that_was_taken_away_is_back(database: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexname FROM pg_indexes WHERE tablename IN ('intents_intent', 'intents_attempt')")
        there = {name for (name,) in cursor.fetchall()}
    taken = {guards.ONE_DOUBT_PER_OBJECT, guards.ONE_ATTEMPT_PER_AUTHORIZATION, guards.ONE_ATTEMPT_PER_NUMBER}
    assert taken <= there
