"""The policy, asked of frozen facts: each check, what it voids and what only waits."""

from dataclasses import replace

import pytest

from approvals.policy import ENGINE_VERSION, Decision, Stage, Target, TargetIs, Verdict, decide, policy_version
from tests.approvals.asking import NOW, at_handover, contract, later, question, seen, signed


def answer(**changes: object) -> Decision:
    return decide(question(**changes), contract())


def at_the_mark(**changes: object) -> Decision:
    return decide(at_handover(**changes), contract())


def test_a_question_that_holds_is_allowed_and_explains_itself() -> None:
    decision = answer()
    assert (decision.allowed, decision.waits, decision.code) == (True, False, "allowed")
    assert "D-42 is in scope A." in decision.reasons
    assert "The file must be active." in decision.reasons


def test_the_answer_carries_the_contracts_digest_and_the_engines_version() -> None:
    assert answer().policy_version == policy_version(contract())
    assert policy_version(contract()).endswith(f"+{ENGINE_VERSION}")
    assert policy_version(contract("refund_create-2")) != policy_version(contract())


def test_the_same_facts_give_the_same_answer() -> None:
    assert answer() == answer()


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"contract_state": "retired"}, "contract_version_not_active"),
        ({"contract_digest": "sha256:other"}, "contract_version_not_active"),
        ({"token_revoked": True}, "token_revoked"),
        ({"agent_disabled": True}, "agent_disabled"),
        ({"requester_role": None}, "not_permitted"),
        ({"target": Target(TargetIs.NOT_AVAILABLE, "D-77")}, "target_not_available"),
        ({"target": seen(state="closed")}, "rule_violated"),
        ({"target": seen(version="8")}, "target_changed"),
        ({"target": seen(version='"7"')}, "target_changed"),
    ],
)
@pytest.mark.parametrize("stage", list(Stage))
def test_what_changed_for_good_voids_at_every_stage(changes: dict, code: str, stage: Stage) -> None:
    asked = replace(at_handover(), **{**changes, "stage": stage})
    decision = decide(asked, contract())
    assert (decision.allowed, decision.waits, decision.code) == (False, False, code)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"stop": "the tool ouvrir_revue_dossier"}, "admissions_stopped"),
        ({"target": Target(TargetIs.UNREACHABLE, "D-42")}, "target_unreachable"),
    ],
)
@pytest.mark.parametrize("stage", list(Stage))
def test_what_may_pass_only_waits(changes: dict, code: str, stage: Stage) -> None:
    asked = replace(at_handover(), **{**changes, "stage": stage})
    decision = decide(asked, contract())
    assert (decision.allowed, decision.waits, decision.code) == (False, True, code)


def test_a_lasting_refusal_wins_over_one_that_may_pass() -> None:
    decision = answer(stop="the organization", contract_state="retired")
    assert (decision.waits, decision.code) == (False, "contract_version_not_active")


def test_nothing_about_the_target_is_told_before_the_right_is_established() -> None:
    decision = answer(requester_role=None, target=seen(state="closed", version="9"))
    told = {one.check: one.verdict for one in decision.checks}
    assert decision.code == "not_permitted"
    assert told["target_in_scope"] == told["rules"] == told["target_version"] == Verdict.NOT_ASKED
    assert not any("D-42" in reason for reason in decision.reasons)


def test_a_target_that_was_not_seen_is_judged_by_no_rule() -> None:
    decision = answer(target=Target(TargetIs.UNREACHABLE, "D-42"))
    assert decision.of("rules").verdict == Verdict.NOT_ASKED
    assert decision.of("target_version").verdict == Verdict.NOT_ASKED


def test_a_rule_that_cannot_be_judged_does_not_hold() -> None:
    decision = answer(target=replace(seen(), facts={}))
    assert decision.code == "rule_violated"


def test_a_changed_connection_voids_what_was_prepared_for_the_one_before() -> None:
    assert at_the_mark(system_now="sha256:else").code == "system_changed"
    assert answer(system_now="sha256:else").allowed


def test_a_version_that_the_contract_ignores_is_compared_at_submission_only() -> None:
    lax = contract(policy__version_change="ignore")
    moved = seen(version="8")
    assert decide(question(lax, target=moved), lax).code == "target_changed"
    assert decide(at_handover(lax, target=moved), lax).allowed


def test_an_approval_is_valid_before_its_expiry_and_not_at_it() -> None:
    assert at_the_mark(approvers=(signed(expires_at=later(0.001)),), quorum_met_until=later(0.001)).allowed
    assert at_the_mark(approvers=(signed(expires_at=NOW),), quorum_met_until=NOW).code == "approval_lapsed"


def test_a_revoked_signature_does_not_count_at_the_mark() -> None:
    assert at_the_mark(approvers=(signed(revoked=True),)).code == "approval_lapsed"


def test_an_approver_who_lost_the_role_voids() -> None:
    decision = at_the_mark(approvers=(signed(role=None),))
    assert (decision.code, decision.waits) == ("approver_not_entitled", False)


def test_one_person_counts_once_towards_the_quorum() -> None:
    two = contract(policy__quorum=2)
    twice = at_handover(two, approvers=(signed("r1"), signed("r1")))
    assert decide(twice, two).code == "approval_lapsed"
    assert decide(replace(twice, approvers=(signed("r1"), signed("r2"))), two).allowed


def test_an_outcome_in_doubt_lets_people_ask_and_sign_and_makes_the_hand_over_wait() -> None:
    assert answer(fence="I-41").allowed
    assert answer(fence="I-41", stage=Stage.SIGNATURE).allowed
    decision = at_the_mark(fence="I-41")
    assert (decision.code, decision.waits) == ("object_fenced", True)
    assert "I-41" in decision.reasons[0]


def test_a_contract_that_refuses_on_a_fence_refuses_at_submission_and_at_the_mark() -> None:
    strict = contract(execution__on_fence="refuse")
    assert decide(question(strict, fence="I-41"), strict).code == "object_fenced"
    assert decide(at_handover(strict, fence="I-41"), strict).waits is False
    assert decide(question(strict, fence="I-41", stage=Stage.SIGNATURE), strict).allowed


def test_a_contract_without_target_asks_nothing_about_one() -> None:
    ping = contract("ledger_ping-1")
    asked = question(ping, target=Target(TargetIs.NONE), arguments={}, expected_version=None)
    decision = decide(asked, ping)
    assert decision.allowed
    assert decision.of("target_in_scope") is None
