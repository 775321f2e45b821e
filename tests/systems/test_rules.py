"""Rules in CEL: nothing but a boolean true holds, and no rule and no data make judging long."""

import time
from typing import Any

import pytest

from systems import cel

VARIABLES = {"args": "map", "target": "map"}
HUGE = {
    "text": "a" * 250_000,
    "long": "a" * cel.MAX_TEXT,
    "numbers": list(range(30_000)),
    "few": list(range(900)),
    "integer": 2**70,
}
DEEP: Any = True
for _ in range(100):
    DEEP = {"a": DEEP}


def judged(source: str, args: Any, target: Any = None) -> cel.Verdict:
    return cel.compile_rule(source, VARIABLES).judge({"args": args, "target": target or {}})


@pytest.mark.parametrize(
    ("source", "args"),
    [
        ("args.x == true", {"x": "true"}),
        ("args.x == 1", {"x": True}),
        ("args.x", {"x": True}),
        ("args.x > 1", {"x": "2"}),
        ("args.missing == 1", {}),
        ("args.x / args.y == 1", {"x": 1, "y": 0}),
        ("args.x + args.x > 0", {"x": 2**62}),
        ("args.x < 10", {"x": float("nan")}),
        ("args.x != null && args.x.y == 1", {"x": None}),
        ("args.x.contains('a')", {"x": "\ud800"}),
        ("args.integer > 0", HUGE),
        ("args.text.size() > 0", HUGE),
        ("args.text.size() < 4000", HUGE),
        ("!args.text.contains('z')", HUGE),
        ("args.text == 'a' || args.text.startsWith('a')", HUGE),
        ("args.a == args.a", {"a": DEEP}),
        ("target.state == 'active'", {}),
    ],
)
def test_what_is_not_a_boolean_true_does_not_hold(source: str, args: Any) -> None:
    try:
        assert judged(source, args).holds is False
    except cel.RuleError:
        assert source == "args.x"  # what cannot be a boolean is refused before it is ever asked


@pytest.mark.parametrize(
    "source",
    [
        "args.numbers.all(x, x >= 0)",
        "args.few.all(x, args.few.all(y, x + y >= 0))",
        "args.few.map(x, args.long + args.long).all(y, y.contains(args.long + 'b'))",
        "args.few.all(x, args.few.all(y, args.few.all(z, args.text != string(x + y + z))))",
    ],
)
def test_a_hostile_rule_on_huge_arguments_ends_soon_and_does_not_hold(source: str) -> None:
    began = time.process_time()
    verdict = judged(source, HUGE)
    assert time.process_time() - began < 3
    assert verdict.holds is False


def test_a_rule_that_does_not_read_what_is_huge_is_judged_as_ever() -> None:
    assert judged("args.amount <= 100 && target.state == 'paid'", {**HUGE, "amount": 7}, {"state": "paid"}).holds
    assert judged("args.text == args.text && args.integer == args.integer", HUGE).holds
    assert judged("args.text == args.other", {**HUGE, "other": "b" * 250_000}).holds is False


def test_more_values_than_a_rule_looks_at_are_judged_by_none() -> None:
    verdict = judged("true || args.x == 1", {"x": [[0] * 300] * 300})
    assert (verdict.holds, verdict.error) == (False, f"The data holds more than {cel.MAX_VALUES} values.")


@pytest.mark.parametrize(
    "source",
    [
        "args.text.matches(args.pattern)",
        "args.text.matches('a' + args.pattern)",
        "matches(args.text, 'a')",
        "args.text.matches('(a?){500}(a?){500}(a?){500}b')",
        "args.text.matches('a{1,300}')",
        "true" + " && true" * 500,
        "(" * 100 + "true" + ")" * 100,
    ],
)
def test_a_rule_whose_cost_nobody_can_know_is_refused(source: str) -> None:
    with pytest.raises(cel.RuleError):
        cel.compile_rule(source, VARIABLES)


def test_patterns_that_stand_in_the_rule_are_matched() -> None:
    rule = """args.x.matches(r'^R-\\d{1,8}$') && args.y.matches("^it's$")"""
    assert judged(rule, {"x": "R-98", "y": "it's"}).holds
    assert not judged("args.x.matches('^[A-Z]{2}$')", {"x": "ab"}).holds
