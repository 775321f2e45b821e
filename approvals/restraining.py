"""Refuses what goes over a contract's budget, and what goes round in circles; counts what was let through."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from approvals.refusals import Refusal
from journal.recording import spelt
from proposals.models import Proposal
from proposals.pacing import Asking, OverBudget, Spending, charge, pace_of

_WHOSE = {"per_agent": "this agent", "per_person": "the person it acts for", "per_session": "this session"}


def require_pace(call: Asking, spending: Spending) -> None:
    """Raises Refusal: budget_exceeded, loop_detected. Counts nothing, and asks nothing but what was read."""
    pace = pace_of(call, spending)
    if pace.over is not None:
        raise _over(call, pace.over)
    if pace.loop:
        raise _loop(pace.loop)


def count(call: Asking, *, now: datetime, proposal: Proposal | None = None) -> None:
    """The call is counted, as the last thing in the caller's transaction. Raises Refusal: budget_exceeded."""
    over = charge(call, now=now, proposal=proposal.pk if proposal else None)
    if over is not None:
        raise _over(call, over)


@contextmanager
def counted_if_refused(call: Asking) -> Iterator[None]:
    """Looking at a target costs something whatever is found: a refusal from here on counts, unless it says *later*."""
    try:
        yield
    except Refusal as refusal:
        refusal.counts = None if refusal.retryable else call
        raise


def _over(call: Asking, over: OverBudget) -> Refusal:
    return Refusal(
        "budget_exceeded",
        detail=f"The budget of {over.rate} that {call.contract.name} grants {_WHOSE[over.budget]} is spent.",
        hint=f"Come back in {over.seconds} s, at {spelt(over.until)}. Ask only for what is needed.",
        extra={"budget": over.budget, "retry_after": over.seconds, "retry_at": spelt(over.until)},
    )


def _loop(length: int) -> Refusal:
    what = "The same call came" if length == 1 else f"The same {length} calls came, in the same order,"
    return Refusal(
        "loop_detected",
        detail=f"{what} again and again in this session, and nothing was decided meanwhile.",
        hint="Another call will not change the answer. Read what you were answered, wait for the people who decide,"
        " or tell the person you act for that you are stuck.",
        extra={"loop_length": length},
    )
