"""Budgets of agents, sessions and people, and calls that go round in circles: refused, told when to come back."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections

from approvals import receiving, surroundings
from approvals.refusals import Refusal
from journal.clock import now as database_now
from proposals import pacing
from proposals.models import Call, Proposal, Spending
from proposals.repetition import Loops, loop_in
from tenancy import tokens
from tenancy.models import Agent
from tests.web.api.calling import Agent as Client
from tests.world import World

REVIEW = "ouvrir_revue_dossier"


def paced(world: World, file: str = "ouvrir_revue_dossier-2", version: str = "3", **policy: object) -> None:
    """The contract is active with budgets and loops of its own."""
    world.publish(file, version=version, policy={"budget": {}, "loops": {}, **policy})


def refused(world: World, *args: object, **more: object) -> Refusal:
    with pytest.raises(Refusal) as caught:
        world.propose(*args, **more)
    return caught.value


def test_a_spent_budget_says_whose_it_is_and_when_to_come_back(world: World) -> None:
    paced(world, budget={"per_session": "2/min", "per_agent": "4/h"})
    world.propose(session="one")
    world.propose("D-44", session="one", arguments=review("D-44", 3))
    looks = len(world.sandbox.requests(method="GET"))
    spent = refused(world, session="one")
    assert (spent.code, spent.status, spent.retryable) == ("budget_exceeded", 429, True)
    assert spent.extra["budget"] == "per_session"
    assert 50 <= spent.extra["retry_after"] <= 60
    assert "2/min" in spent.detail
    assert len(world.sandbox.requests(method="GET")) == looks, "nobody is asked for what will not be admitted"
    world.propose(session="two")
    world.propose(session="three")
    assert refused(world, session="four").extra["budget"] == "per_agent"
    assert 3_500 <= refused(world, session="one").extra["retry_after"] <= 3_600, "the later of the two is told"
    world.propose(tool="annuler_revue_dossier", arguments={"dossier_ref": "D-42", "request_ref": "R-1"})


def review(target: str, version: int, reason: str = "DONNEE_A_VERIFIER") -> dict[str, object]:
    return {"dossier_ref": target, "expected_version": version, "reason_code": reason}


def test_the_budget_of_a_person_is_one_for_all_who_act_for_them(world: World) -> None:
    paced(world, budget={"per_person": "2/h"})
    other = Agent.objects.create(organization=world.demo, name="agent-c")
    caller = world.caller()
    _token, world.secrets["agent-c"] = tokens.mint(
        actor=None,
        agent=other,
        on_behalf_of=caller.person,
        scopes=[world.scopes["A"]],
        expires_at=database_now() + timedelta(days=1),
    )
    world.propose()
    world.propose(agent="agent-c")
    assert refused(world).extra["budget"] == "per_person"
    assert refused(world, agent="agent-c").extra["budget"] == "per_person"


def test_a_budget_is_whole_again_when_its_time_is_over_and_the_count_is_removed(world: World) -> None:
    paced(world, budget={"per_agent": "1/s"})
    world.propose()
    spent = refused(world)
    assert spent.extra["retry_after"] == 1
    time.sleep(1)
    world.propose()
    pacing.forget(now=database_now())
    assert Spending.objects.count() == 1
    pacing.forget(now=database_now() + timedelta(days=2))
    assert (Spending.objects.count(), Call.objects.count()) == (0, 0)


def test_what_counts_is_what_was_looked_at_and_no_replay(world: World) -> None:
    paced(world, budget={"per_agent": "4/h"})
    for _ in range(3):
        world.propose(key="K1")
    assert refused(world, arguments={"dossier_ref": "D-42"}).code == "invalid_arguments"
    assert Spending.objects.get().count == 1
    assert refused(world, "D-77").code == "target_not_available"
    submission = receiving.Submission(REVIEW, None, review("D-42", 7))
    receiving.receive(world.caller(), submission, key="K2", body_fingerprint="x", dry_run=True)
    assert Spending.objects.get().count == 3
    assert refused(world, arguments=review("D-42", 6)).code == "target_changed"
    assert refused(world, "D-99").code == "budget_exceeded"


def test_twenty_at_the_same_instant_are_admitted_as_often_as_the_budget_says(world: World) -> None:
    paced(world, budget={"per_agent": "5/h"})

    def ask(number: int) -> str:
        try:
            return world.propose(key=f"K{number}", session=f"s{number}").state
        except Refusal as refusal:
            return refusal.code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(20)))
    assert sorted(answers) == ["awaiting_approval"] * 5 + ["budget_exceeded"] * 15
    assert (Proposal.objects.count(), Spending.objects.get().count) == (5, 5)


def test_who_sends_the_same_key_while_the_budget_is_spent_on_it_is_answered_the_same(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    paced(world, budget={"per_session": "1/h"})
    first: list[int] = []

    def ask() -> None:
        try:
            first.append(world.propose(key="one").pk)
        finally:
            connections.close_all()

    asked = surroundings.within

    begun: list[bool] = []

    def a_moment_before(**about: Any) -> Any:
        if not begun:
            begun.append(True)
            with ThreadPoolExecutor(1) as pool:
                pool.submit(ask).result()
        return asked(**about)

    monkeypatch.setattr(surroundings, "within", a_moment_before)
    assert [world.propose(key="one").pk] == first
    assert Spending.objects.get().count == 1


def test_the_same_call_again_and_again_is_a_loop_until_somebody_decides(world: World) -> None:
    paced(world, loops={"same_call": 3})
    first = world.propose()
    world.propose()
    looks = len(world.sandbox.requests(method="GET"))
    loop = refused(world)
    assert (loop.code, loop.status, loop.retryable, loop.extra["loop_length"]) == ("loop_detected", 409, False, 1)
    assert len(world.sandbox.requests(method="GET")) == looks
    world.propose(session="another")
    world.sign(Proposal.objects.filter(session=first.session).latest("pk"))
    world.propose()


def test_a_cycle_between_tools_is_a_loop_within_the_declared_depth(world: World) -> None:
    for version, depth in (("3", 2), ("4", 1)):
        paced(world, version=version, loops={"rounds": 2, "depth": depth, "same_call": 9})
        paced(world, "chercher_dossier-1", version, loops={"rounds": 2, "depth": depth, "same_call": 9})
        for _ in range(2):
            world.propose(tool="chercher_dossier", arguments={"numero": "A-4417"}, session=version)
            if depth == 2 and _ == 1:
                assert refused(world, session=version).code == "loop_detected"
            else:
                world.propose(session=version)


def test_work_that_goes_on_is_no_loop_however_alike_its_steps_are(world: World) -> None:
    paced(world)
    paced(world, "chercher_dossier-1", "3")
    for reason in ("DONNEE_A_VERIFIER", "PIECE_MANQUANTE", "ECART_MONTANT") * 2:
        world.propose(tool="chercher_dossier", arguments={"numero": "A-4417"})
        proposal = world.propose(arguments=review("D-42", 7, reason))
        world.sign(proposal)


@pytest.mark.parametrize(
    ("calls", "length"),
    [
        ("aaa", 1),
        ("baaa", 1),
        ("aab", 0),
        ("abab", 2),
        ("cabab", 2),
        ("ababa", 2),
        ("abcabc", 3),
        ("abcabd", 0),
        ("abcdabcd", 0),
        ("a", 0),
        ("", 0),
    ],
)
def test_a_round_is_seen_at_the_call_that_closes_it(calls: str, length: int) -> None:
    assert loop_in(calls, Loops(same_call=3, depth=3, rounds=2)) == length


def test_the_door_says_in_a_header_and_a_field_when_to_come_back(world: World) -> None:
    paced(world, budget={"per_agent": "1/h"})
    agent = Client(world.secrets["agent-a"])
    assert agent.propose(Idempotency_Key="K1").status == 201
    answer = agent.propose(Idempotency_Key="K2")
    assert (answer.status, answer.code, answer.body["retryable"]) == (429, "budget_exceeded", True)
    assert int(answer.headers["retry-after"]) == answer.body["retry_after"] > 3_500
    assert answer.body["retry_at"].endswith("Z")
