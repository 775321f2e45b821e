"""What an answer means: the table, line by line."""

from typing import Any

import pytest

from intents.evidence import Verdict, judge, judge_lookup
from intents.outcomes import Outcome, conclude, names_us, settled_by_search
from intents.states import State
from systems.adapters.base import Delivery, Reply
from tests.intents.replies import ARGUMENTS, CHECKS, OURS, RIGHT, effect, reply


def outcome(answer: Reply, *, echoes: bool = True) -> Outcome:
    """The outcome of one answer under the demo's contract."""
    named = names_us(answer, reference=OURS, echoes=echoes)
    judgement = judge(CHECKS, arguments=ARGUMENTS, fields=answer.fields, names_us=named)
    return conclude(answer, judgement, reference=OURS, echoes=echoes)


@pytest.mark.parametrize("fault", ["dns", "connect_refused", "connect_timeout", "tls", "too_late"])
def test_what_provably_never_left_is_not_delivered(fault: str) -> None:
    found = outcome(reply(delivery=Delivery.NEVER_SENT, fault=fault, success=False, status=None))
    assert (found.state, found.cause, found.result) == (State.READY, fault, "not_delivered")


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        ("read_timeout", "deadline"),
        ("write_timeout", "deadline"),
        ("reset", "reset"),
        ("closed", "closed"),
        ("protocol", "protocol"),
    ],
)
def test_what_fails_after_the_first_byte_is_unknown(fault: str, cause: str) -> None:
    found = outcome(reply(delivery=Delivery.MAYBE_SENT, fault=fault, success=False, status=None))
    assert (found.state, found.cause, found.result) == (State.UNKNOWN, cause, "no_answer")


@pytest.mark.parametrize("fault", ["truncated", "oversize", "encoding"])
def test_an_answer_that_did_not_arrive_whole_is_unknown_whatever_it_begins_with(fault: str) -> None:
    assert outcome(reply(fault=fault)).state is State.UNKNOWN


def test_a_success_that_names_us_with_equal_target_and_reason_is_confirmed() -> None:
    found = outcome(reply())
    assert (found.state, found.verdict, found.result) == (State.CONFIRMED, Verdict.PROVES, "answered")


@pytest.mark.parametrize("changes", [{"dossier_ref": "D-43"}, {"reason_code": "ECART_MONTANT"}])
def test_a_success_that_names_us_with_another_target_or_reason_diverged(changes: dict[str, Any]) -> None:
    found = outcome(reply(fields={**RIGHT, **changes}))
    assert (found.state, found.verdict, found.alert) == (State.DIVERGED, Verdict.CONTRADICTS, True)


def test_a_success_with_anothers_reference_is_unknown_and_nothing_of_it_may_be_shown() -> None:
    found = outcome(reply(reference="somebody-elses"))
    assert (found.state, found.cause, found.foreign, found.alert) == (State.UNKNOWN, "foreign_reference", True, True)


def test_a_success_without_our_reference_is_unknown_where_an_echo_is_declared_and_the_answer_itself_where_not() -> None:
    assert outcome(reply(reference=None)).state is State.UNKNOWN
    assert outcome(reply(reference=None), echoes=False).state is State.CONFIRMED
    assert outcome(reply(reference="somebody-elses"), echoes=False).state is State.UNKNOWN


def test_a_success_in_which_a_probative_field_is_missing_is_unknown_and_looked_up_at_once() -> None:
    found = outcome(reply(fields={"dossier_ref": "D-42"}))
    assert (found.state, found.probe_soon) == (State.UNKNOWN, True)


@pytest.mark.parametrize(
    "answer",
    [
        {"status": 200, "readable": False},
        {"status": 201, "readable": False, "unreadable_because": "empty"},
        {"status": 200, "readable": True},
        {"status": 302, "readable": False},
        {"status": 307},
        {"status": 400},
        {"status": 404},
        {"status": 408},
        {"status": 409},
        {"status": 425},
        {"status": 429},
        {"status": 500},
        {"status": 503},
    ],
)
def test_whatever_no_rule_recognises_is_unknown_and_looked_up(answer: dict[str, Any]) -> None:
    found = outcome(reply(success=False, fields={}, reference=None, **answer))
    assert (found.state, found.probe_soon, found.result) == (State.UNKNOWN, True, "answered")


def test_an_acceptance_is_never_a_success_even_when_its_body_looks_like_one() -> None:
    assert outcome(reply(status=202, accepted=True)).state is State.ACCEPTED
    assert outcome(reply(status=202, accepted=True, reference="somebody-elses")).state is State.UNKNOWN


def test_a_documented_definitive_refusal_is_a_refusal() -> None:
    found = outcome(reply(status=422, success=False, refused=True, reference=None, fields={}))
    assert (found.state, found.verdict) == (State.REFUSED, Verdict.DISPROVES)


def test_a_documented_not_processed_is_not_delivered() -> None:
    found = outcome(reply(status=503, success=False, not_processed=True))
    assert (found.state, found.result) == (State.READY, "not_delivered")


def searched(*found: Any, complete: bool = True) -> Any:
    return judge_lookup(CHECKS, arguments=ARGUMENTS, found=found, complete=complete, reference=OURS)


def test_a_further_attempt_is_confirmed_only_by_exactly_one_effect() -> None:
    success = outcome(reply())
    assert settled_by_search(success, searched(effect()), complete=True).state is State.CONFIRMED
    assert settled_by_search(success, searched(effect(), effect()), complete=True).state is State.DIVERGED
    assert settled_by_search(success, searched(), complete=True).state is State.UNKNOWN
    assert settled_by_search(success, searched(effect(), complete=False), complete=False).state is State.UNKNOWN


def test_a_refusal_of_a_further_attempt_stands_only_while_no_earlier_effect_is_found() -> None:
    refusal = outcome(reply(status=422, success=False, refused=True, reference=None, fields={}))
    assert settled_by_search(refusal, searched(), complete=True).state is State.REFUSED
    assert settled_by_search(refusal, searched(complete=False), complete=False).state is State.UNKNOWN
    assert settled_by_search(refusal, searched(effect()), complete=True).state is State.CONFIRMED
