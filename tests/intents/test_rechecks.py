"""The two-ended ledger, and what one look leads to."""

from datetime import UTC, datetime, timedelta

import pytest

from approvals.policy import Checked, Decision, Verdict
from intents.rechecks import SEND, VOID, WAIT, Approved, ledger, rule

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
LATER = NOW + timedelta(minutes=5)
APPROVED = Approved(
    contract="ouvrir_revue_dossier@2",
    system_digest="sha256:aa",
    requester="entitled",
    expires_at=LATER.isoformat(),
    approvers={"approver": "review_lead"},
    scope="A",
    state="active",
    version="7",
)


def decided(*checks: Checked) -> Decision:
    """A decision over these checks."""
    against = [one for one in checks if one.verdict in (Verdict.FAILS, Verdict.WAITS)]
    fatal = [one for one in against if one.verdict == Verdict.FAILS]
    code = (fatal or against)[0].code if against else "allowed"
    return Decision(not against, bool(against) and not fatal, code, (), "v", checks)


HOLDS = Checked("target_version", "7", Verdict.HOLDS)
CHANGED = Checked("target_version", "8", Verdict.FAILS, "target_changed")
STOPPED = Checked("admissions", "the tool x", Verdict.WAITS, "admissions_stopped")
FENCED = Checked("object_fence", "I-41", Verdict.WAITS, "object_fenced")


def test_each_line_shows_the_value_when_approved_the_value_now_and_the_verdict() -> None:
    rows = {row.check: row for row in ledger(APPROVED, [CHANGED], state_now="active")}
    assert (rows["target_version"].approved, rows["target_version"].now) == ("7", "8")
    assert rows["target_version"].verdict == "fails"
    assert (rows["target_state"].approved, rows["target_state"].now) == ("active", "active")


def test_each_approver_has_a_line_with_the_role_that_entitled_the_person() -> None:
    lost = Checked("approver_entitled", "approver", Verdict.FAILS, "approver_not_entitled")
    (row, _state) = ledger(APPROVED, [lost], state_now="active")
    assert (row.approved, row.now) == ("approver: review_lead", "approver")


def test_everything_holding_on_a_fresh_look_is_sent() -> None:
    assert rule(decided(HOLDS), now=NOW, expires_at=LATER, looked_at=NOW).outcome == SEND


def test_a_look_older_than_ten_seconds_decides_nothing() -> None:
    old = NOW - timedelta(seconds=10, microseconds=1)
    assert rule(decided(HOLDS), now=NOW, expires_at=LATER, looked_at=old).waiting == "observation_stale"
    assert rule(decided(HOLDS), now=NOW, expires_at=LATER, looked_at=NOW - timedelta(seconds=10)).outcome == SEND


@pytest.mark.parametrize("decision", [decided(HOLDS), decided(STOPPED), decided(CHANGED)])
def test_a_lapsed_approval_ends_it_whatever_else_stands_and_the_instant_itself_is_too_late(decision: Decision) -> None:
    ruling = rule(decision, now=LATER, expires_at=LATER, looked_at=NOW)
    assert (ruling.outcome, ruling.cause) == (VOID, "expired")


def test_a_stop_and_a_fence_make_it_wait_and_say_on_what() -> None:
    stopped = rule(decided(STOPPED, HOLDS), now=NOW, expires_at=LATER, looked_at=NOW)
    assert (stopped.outcome, stopped.waiting, stopped.on) == (WAIT, "admissions", "the tool x")
    fenced = rule(decided(HOLDS, FENCED), now=NOW, expires_at=LATER, looked_at=NOW)
    assert (fenced.outcome, fenced.waiting, fenced.on) == (WAIT, "fence", "I-41")


def test_a_refusal_ends_it_even_while_something_else_would_make_it_wait() -> None:
    ruling = rule(decided(STOPPED, CHANGED), now=NOW, expires_at=LATER, looked_at=NOW)
    assert (ruling.outcome, ruling.cause) == (VOID, "target_changed")
