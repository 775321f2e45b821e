"""Counts what agents ask against the budgets of a contract, and remembers the last calls of a session.

A budget is counted from the first question on: `20/h` is twenty questions in the hour that the first of them begins.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from journal.digests import canonical, sha256
from journal.reads import CLOCK, Read, ask, listed
from journal.statements import say
from proposals.contracts import Contract
from proposals.repetition import loop_in
from tenancy.access import Caller

_KEPT = timedelta(days=1)
_BATCH = 1_000
_REACH = 100  # the most that a contract's loops may look back (contract.schema.json)


@dataclass(frozen=True)
class Asking:
    """One call as pacing sees it: by whom, in which session, of which tool, with which meaning."""

    caller: Caller
    session: str
    contract: Contract
    digest: str

    @property
    def subjects(self) -> Mapping[str, str]:
        """The contract's budgets by name, each with the one who spends it."""
        who = _subjects(self.caller, self.session)
        return {name: who[name] for name in who if name in self.contract.policy.budget}


def _subjects(caller: Caller, session: str) -> Mapping[str, str]:
    """Everybody who may spend a budget, by its name; an agent's session is its own."""
    agent = f"agent:{caller.agent.pk}"
    named = sha256(session.encode("utf-8", "surrogatepass"))[7:39]
    return {"per_agent": agent, "per_person": f"person:{caller.person.pk}", "per_session": f"{agent}:{named}"}


@dataclass(frozen=True)
class Spending:
    """What was read of a caller's calls at `now`: counts with the instant each began at (seconds since 1970), and the
    last calls of the session (newest first: digest, whether decided since, seconds since 1970).
    """

    now: datetime
    spent: Mapping[str, tuple[int, float]] | None
    recent: Sequence[tuple[str, bool, float]] | None


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


def spent(caller: Caller, tool: str, *, session: str) -> Read:
    """What those who may spend a budget of the tool have spent, as part of one statement."""
    who = listed(list(_subjects(caller, session).values()))
    return Read(
        """SELECT json_object_agg(subject, json_build_array(count, extract(epoch FROM since)))
           FROM proposals_spending WHERE organization_id = %s AND tool = %s AND subject = ANY(%s::text[])""",
        (caller.organization.pk, tool, who),
    )


def recent(caller: Caller, *, session: str) -> Read:
    """The last calls of the session, as many as any contract may compare with, as part of one statement."""
    return Read(
        """SELECT json_agg(json_build_array(digest, decided, extract(epoch FROM at)) ORDER BY id DESC)
           FROM (SELECT c.id, c.digest, c.at,
                        coalesce(p.state NOT IN ('awaiting_approval', 'answered'), false) AS decided
                   FROM proposals_call c LEFT JOIN proposals_proposal p ON p.id = c.proposal_id
                  WHERE c.agent_id = %s AND c.session = %s
                  ORDER BY c.id DESC LIMIT %s) AS recent""",
        (caller.agent.pk, session, _REACH),
    )


def pace_of(call: Asking, spending: Spending) -> Pace:
    """How the caller stands before `call`; counts nothing."""
    limits = call.contract.policy.loops
    since = (spending.now - limits.within).timestamp()
    lately = [(digest, decided) for digest, decided, at in spending.recent or () if at > since][: limits.reach - 1]
    loop = loop_in([*_since_decided(lately), call.digest], limits)
    return Pace(_over(call, spending.spent or {}, spending.now), loop)


def charge(call: Asking, *, now: datetime, proposal: int | None = None) -> OverBudget | None:
    """The call is counted and remembered, inside the caller's transaction; or a budget is spent, and told.

    Then the transaction must not commit. Two that ask at the same instant wait here for each other, so that no more
    than the budget is ever admitted: it comes last before a commit.
    """
    subjects = call.subjects
    rates = [call.contract.policy.budget[name] for name in subjects]
    admitted = say(
        _CHARGE,
        [
            *(call.caller.agent.pk, call.session, call.digest, proposal, now),
            *(call.caller.organization.pk, call.contract.name),
            *(listed(list(subjects.values())), listed([str(rate.most) for rate in rates])),
            listed([f"{rate.per.total_seconds():.0f}s" for rate in rates]),
        ],
    )
    return None if len(admitted) == len(subjects) else pace_of(call, _read(call)).over


_CHARGE = """
    WITH remembered AS (
        INSERT INTO proposals_call (agent_id, session, digest, proposal_id, at) VALUES ($1, $2, $3, $4, $5)
    )
    INSERT INTO proposals_spending AS s (organization_id, tool, subject, most, per, since, count)
    SELECT $6, $7, who.subject, who.most, who.per, $5, 1
      FROM unnest($8::text[], $9::int[], $10::interval[]) AS who (subject, most, per)
    ON CONFLICT (organization_id, tool, subject) DO UPDATE
       SET count = CASE WHEN s.since + excluded.per <= excluded.since THEN 1 ELSE s.count + 1 END,
           since = CASE WHEN s.since + excluded.per <= excluded.since THEN excluded.since ELSE s.since END,
           most = excluded.most, per = excluded.per
     WHERE s.since + excluded.per <= excluded.since OR s.count < excluded.most
 RETURNING subject"""


def _read(call: Asking) -> Spending:
    found = ask(
        now=CLOCK,
        spent=spent(call.caller, call.contract.name, session=call.session),
        recent=recent(call.caller, session=call.session),
    )
    return Spending(found["now"], found["spent"], found["recent"])


def forget(*, now: datetime) -> None:
    """Counts that have run out, and calls nobody compares with any more, are removed: some at a time."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM proposals_spending WHERE since + per <= %s", [now])
        cursor.execute(
            """DELETE FROM proposals_call USING (SELECT id FROM proposals_call ORDER BY id LIMIT %s) AS oldest
                WHERE proposals_call.id = oldest.id AND at < %s""",
            [_BATCH, now - _KEPT],
        )


def _since_decided(lately: Iterable[tuple[str, bool]]) -> list[str]:
    """The calls (newest first as they come) since the last whose proposal was decided: then the world had changed."""
    fresh = []
    for digest, decided in lately:
        if decided:
            break
        fresh.append(digest)
    return fresh[::-1]


def _over(call: Asking, spent: Mapping[str, tuple[int, float]], now: datetime) -> OverBudget | None:
    """The spent budget that is longest in force, None while every budget has room."""
    found = []
    for name, subject in call.subjects.items():
        rate = call.contract.policy.budget[name]
        count, since = spent.get(subject, (0, 0.0))
        until = datetime.fromtimestamp(since, tz=now.tzinfo) + rate.per
        if count >= rate.most and until > now:
            found.append(OverBudget(name, rate.text, until, -int((now - until).total_seconds() // 1)))
    return max(found, key=lambda one: one.until, default=None)
