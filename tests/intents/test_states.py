"""The machine is written several times; here they agree."""

import re

import pytest

from approvals import fencing
from intents.models import Intent
from intents.states import FENCING, FINAL, MOVES, State, may_move
from tests.processes import ROOT


def test_every_state_can_be_reached_from_ready_and_every_open_state_can_be_left() -> None:
    reached, border = {State.READY}, {State.READY}
    while border:
        border = {to for source, to in MOVES if source in border} - reached
        reached |= border
    assert reached == set(State)
    assert {source for source, _to in MOVES} == set(State) - FINAL


def test_a_final_state_is_never_left() -> None:
    assert not [move for move in MOVES if move[0] in FINAL]


def test_an_intent_that_may_have_left_never_becomes_void_and_never_goes_back_by_itself() -> None:
    assert not may_move(State.UNKNOWN, State.VOID)
    assert not may_move(State.ACCEPTED, State.VOID)
    assert not may_move(State.UNKNOWN, State.READY)
    assert not may_move(State.UNKNOWN, State.SENDING)
    assert not may_move(State.ACCEPTED, State.SENDING)


def test_the_database_check_knows_the_same_states() -> None:
    check = next(one for one in Intent._meta.constraints if one.name == "intents_known_state")
    assert set(check.condition.children[0][1]) == {state.value for state in State}


def test_the_states_with_an_end_are_the_final_ones_in_the_database_as_well() -> None:
    check = next(one for one in Intent._meta.constraints if one.name == "intents_final_states_have_an_end")
    sides = [dict(side.children) for side in check.condition.children]
    ended = next(side for side in sides if side["ended_at__isnull"] is False)
    going = next(side for side in sides if side["ended_at__isnull"] is True)
    assert set(ended["state__in"]) == {state.value for state in FINAL}
    assert set(going["state__in"]) == {state.value for state in set(State) - FINAL}


def test_the_fence_of_the_index_of_the_states_and_of_the_floor_below_are_one() -> None:
    index = next(one for one in Intent._meta.constraints if one.name == "intents_one_doubt_per_object")
    assert {state.value for state in FENCING} == set(fencing.FENCING)
    for state in FENCING:
        assert f"'{state}'" in str(index.condition)


def test_the_diagram_of_the_architecture_shows_exactly_the_arrows_of_the_table() -> None:
    text = (ROOT / "docs" / "decisions" / "the-intent-machine.md").read_text()
    drawn = set(re.findall(r"^\s*(\w+) --> (\w+)$", text, re.MULTILINE))
    assert drawn == {(source.value, to.value) for source, to in MOVES}


@pytest.mark.parametrize("move", MOVES, ids=lambda move: f"{move[0]}-{move[1]}")
def test_every_arrow_says_what_brings_it(move: tuple[State, State]) -> None:
    assert len(MOVES[move]) > 10
