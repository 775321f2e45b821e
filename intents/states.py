"""The intent machine, as a table a product manager can read.

Diagram, table, enum and CHECK say the same; a test holds them together.
"""

from enum import StrEnum


class State(StrEnum):
    """Where an intent stands. How you come in, and who takes you out, is `MOVES`."""

    READY = "ready"
    SENDING = "sending"
    ACCEPTED = "accepted"
    UNKNOWN = "unknown"
    REOPENED = "reopened"
    CONFIRMED = "confirmed"
    REFUSED = "refused"
    DIVERGED = "diverged"
    NOT_EXECUTED = "not_executed"
    VOID = "void"


FINAL = frozenset({State.CONFIRMED, State.REFUSED, State.DIVERGED, State.NOT_EXECUTED, State.VOID})

# The object may hold an effect of ours, or somebody is about to find out: nobody else touches it.
FENCING = frozenset({State.SENDING, State.ACCEPTED, State.UNKNOWN, State.REOPENED})

# from → to: what brings it there
MOVES: dict[tuple[State, State], str] = {
    (State.READY, State.SENDING): "every check holds: the attempt is written down and committed before the first byte",
    (
        State.READY,
        State.VOID,
    ): "a check, an expiry, a revocation, a withdrawal or a revision stopped it: nothing was sent",
    (State.READY, State.NOT_EXECUTED): "a reopened intent was stopped before its new attempt left",
    (State.READY, State.CONFIRMED): "positive evidence of an earlier attempt",
    (State.READY, State.DIVERGED): "an earlier attempt had another effect than the approved one",
    (State.SENDING, State.CONFIRMED): "the answer proves the effect",
    (State.SENDING, State.REFUSED): "the business system refused definitively",
    (State.SENDING, State.ACCEPTED): "the business system accepted to process; creation is not established",
    (State.SENDING, State.READY): "this attempt provably never left",
    (State.SENDING, State.NOT_EXECUTED): "a reopened intent's attempt provably never left, and its budget is spent",
    (State.SENDING, State.VOID): "this attempt provably never left, and its delivery budget is spent",
    (State.SENDING, State.DIVERGED): "an effect exists that differs from the approved one",
    (State.SENDING, State.UNKNOWN): "its deadline passed, or its answer proves nothing either way",
    (State.ACCEPTED, State.CONFIRMED): "evidence names this intent and satisfies the contract",
    (State.ACCEPTED, State.REFUSED): "the business system refused definitively after accepting",
    (State.ACCEPTED, State.DIVERGED): "an effect exists that differs from the approved one",
    (State.ACCEPTED, State.UNKNOWN): "the outcome deadline passed without evidence",
    (State.UNKNOWN, State.CONFIRMED): "positive evidence, or a person with evidence",
    (State.UNKNOWN, State.DIVERGED): "an effect exists that differs from the approved one",
    (State.UNKNOWN, State.NOT_EXECUTED): "a person established, with evidence, that it did not happen, and closed",
    (State.UNKNOWN, State.REOPENED): "a person established that it did not happen, and asked for a new attempt",
    (State.REOPENED, State.READY): "freshly signed",
    (State.REOPENED, State.NOT_EXECUTED): "the new attempt was refused, revoked or lapsed",
    (State.REOPENED, State.CONFIRMED): "positive evidence of an earlier attempt",
    (State.REOPENED, State.DIVERGED): "an earlier attempt had another effect than the approved one",
}


def may_move(source: State, target: State) -> bool:
    """Tell whether the machine has an arrow from `source` to `target`."""
    return (source, target) in MOVES
