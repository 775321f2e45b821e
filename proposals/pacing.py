"""Counts what agents ask against the budgets of a contract, and remembers the last calls of a session.

A budget is counted from the first question on: `20/h` is twenty questions in the hour that the first of them begins.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from journal.digests import canonical, sha256
from proposals.contracts import Contract
from proposals.repetition import loop_in
from tenancy.access import Caller

_KEPT = timedelta(days=1)
_BATCH = 1_000


@dataclass(frozen=True)
class Asking:
    """One call as pacing sees it: by whom, in which session, of which tool, with which meaning."""

    caller: Caller
    session: str
    contract: Contract
    digest: str

    @property
    def subjects(self) -> Mapping[str, str]:
        """The contract's budgets by name, each with the one who spends it; an agent's session is its own."""
        agent = f"agent:{self.caller.agent.pk}"
        who = {
            "per_agent": agent,
            "per_person": f"person:{self.caller.person.pk}",
            "per_session": f"{agent}:{sha256(self.session.encode())[7:39]}",
        }
        return {name: who[name] for name in who if name in self.contract.policy.budget}


@dataclass(frozen=True)
class OverBudget:
    """A budget that is spent: its name, how it is written in the contract, and when the next question is admitted."""

    budget: str
    rate: str
    until: datetime
    seconds: int


@dataclass(frozen=True)
class Pace:
    """How a caller stands before one more call: the budget that is spent, and the round that the call would close."""

    over: OverBudget | None
    loop: int


def asking(caller: Caller, *, contract: Contract, session: str, arguments: Any) -> Asking:
    """The call of this tool with these arguments."""
    return Asking(caller, session, contract, sha256(canonical([contract.name, arguments])))


def pace_of(call: Asking) -> Pace:
    """How the caller stands before `call`; counts nothing. One query."""
    limits = call.contract.policy.loops
    sql = """
        SELECT clock_timestamp(),
               (SELECT json_object_agg(subject, json_build_array(count, extract(epoch FROM since)))
                  FROM proposals_spending WHERE organization_id = %s AND tool = %s AND subject = ANY(%s)),
               (SELECT json_agg(json_build_array(digest, decided) ORDER BY id DESC)
                  FROM (SELECT c.id, c.digest,
                               coalesce(p.state NOT IN ('awaiting_approval', 'answered'), false) AS decided
                          FROM proposals_call c LEFT JOIN proposals_proposal p ON p.id = c.proposal_id
                         WHERE c.agent_id = %s AND c.session = %s AND c.at > clock_timestamp() - %s
                         ORDER BY c.id DESC LIMIT %s) AS recent)
    """
    agent, organization = call.caller.agent, call.caller.organization
    who = list(call.subjects.values())
    trail: tuple[Any, ...] = (agent.pk, call.session, limits.within, limits.reach - 1)
    with connection.cursor() as cursor:
        cursor.execute(sql, [organization.pk, call.contract.name, who, *trail])
        now, spent, recent = cursor.fetchone()
    since_decided = _since_decided(_plain(recent) or [])
    return Pace(_over(call, _plain(spent) or {}, now), loop_in([*since_decided, call.digest], limits))


def charge(call: Asking, *, now: datetime, proposal: int | None = None) -> OverBudget | None:
    """The call is counted and remembered, inside the caller's transaction; or a budget is spent, and told.

    Then the transaction must not commit. Two that ask at the same instant wait here for each other, so that no more
    than the budget is ever admitted: it comes last before a commit.
    """
    subjects = call.subjects
    rates = [call.contract.policy.budget[name] for name in subjects]
    with connection.cursor() as cursor:
        cursor.execute(
            """
            WITH remembered AS (
                INSERT INTO proposals_call (agent_id, session, digest, proposal_id, at) VALUES (%s, %s, %s, %s, %s)
            )
            INSERT INTO proposals_spending AS s (organization_id, tool, subject, most, per, since, count)
            SELECT %s, %s, who.subject, who.most, who.per, %s, 1
              FROM unnest(%s::text[], %s::int[], %s::interval[]) AS who (subject, most, per)
            ON CONFLICT (organization_id, tool, subject) DO UPDATE
               SET count = CASE WHEN s.since + excluded.per <= excluded.since THEN 1 ELSE s.count + 1 END,
                   since = CASE WHEN s.since + excluded.per <= excluded.since THEN excluded.since ELSE s.since END,
                   most = excluded.most, per = excluded.per
             WHERE s.since + excluded.per <= excluded.since OR s.count < excluded.most
            """,
            [
                *(call.caller.agent.pk, call.session, call.digest, proposal, now),
                *(call.caller.organization.pk, call.contract.name, now),
                *(list(subjects.values()), [rate.most for rate in rates], [rate.per for rate in rates]),
            ],
        )
        admitted = cursor.rowcount
    return None if admitted == len(subjects) else pace_of(call).over


def forget(*, now: datetime) -> None:
    """Counts that have run out, and calls nobody compares with any more, are removed: some at a time."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM proposals_spending WHERE since + per <= %s", [now])
        cursor.execute(
            """DELETE FROM proposals_call USING (SELECT id FROM proposals_call ORDER BY id LIMIT %s) AS oldest
                WHERE proposals_call.id = oldest.id AND at < %s""",
            [_BATCH, now - _KEPT],
        )


def _plain(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


def _since_decided(recent: list[list[Any]]) -> list[str]:
    """The calls (newest first as they come) since the last whose proposal was decided: then the world had changed."""
    fresh = []
    for digest, decided in recent:
        if decided:
            break
        fresh.append(digest)
    return fresh[::-1]


def _over(call: Asking, spent: Mapping[str, list[float]], now: datetime) -> OverBudget | None:
    """The spent budget that is longest in force, None while every budget has room."""
    found = []
    for name, subject in call.subjects.items():
        rate = call.contract.policy.budget[name]
        count, since = spent.get(subject, (0, 0.0))
        until = datetime.fromtimestamp(since, tz=now.tzinfo) + rate.per
        if count >= rate.most and until > now:
            found.append(OverBudget(name, rate.text, until, -int((now - until).total_seconds() // 1)))
    return max(found, key=lambda one: one.until, default=None)
