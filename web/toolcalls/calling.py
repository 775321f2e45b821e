"""Each call of a turn is proposed by itself: a result for every one, in order, whatever became of the others."""

import time
from collections import Counter
from dataclasses import dataclass

from approvals import receiving
from approvals.receiving import Received, Submission
from approvals.refusals import Refusal
from proposals.arguments import shown
from proposals.turns import ModelCall, Turn
from tenancy.access import Caller
from web.api.errors import as_refusal

MOST_CALLS = 32
PATIENCE = 20.0  # seconds after which no further call of a turn is begun
_OBJECT = {"pointer": "/arguments", "keyword": "type", "expected": "object"}


@dataclass(frozen=True)
class Result:
    """What became of one call: what was received, or why it was refused."""

    call: ModelCall
    received: Received | None = None
    refusal: Refusal | None = None


def require_answerable(turn: Turn, *, has_ids: bool) -> None:
    """Every call can be told from every other, or the turn is refused as a whole. Raises Refusal."""
    if len(turn.calls) > MOST_CALLS:
        raise _refused("", "maxItems", f"at most {MOST_CALLS} calls", "A turn holds too many calls.")
    if not has_ids:
        return
    times = Counter(call.id for call in turn.calls)
    for call in turn.calls:
        if not call.id:
            raise _refused(call.pointer, "required", "an id of its own", "A call of this turn has no id.")
        if times[call.id] > 1:
            raise _refused(call.pointer, "uniqueItems", "an id of its own", "Two calls of this turn have one id.")


def propose_each(caller: Caller, turn: Turn, *, session: str | None) -> list[Result]:
    """One result for each call, in the order of the turn. Nothing that happens to one keeps another from its answer."""
    until = time.monotonic() + PATIENCE
    return [_propose(caller, call, session=session, late=time.monotonic() > until) for call in turn.calls]


def _propose(caller: Caller, call: ModelCall, *, session: str | None, late: bool) -> Result:
    if late:
        hint = "Send the same turn again: what was proposed is answered, not repeated, and the others are looked at."
        return Result(call, refusal=Refusal("busy", detail="The calls before it took too long.", hint=hint))
    try:
        return Result(call, received=_received(caller, call, session=session))
    except Exception as error:  # noqa: BLE001  whatever it is, this call is answered by it, and the next one is looked at
        return Result(call, refusal=as_refusal(error))


def _received(caller: Caller, call: ModelCall, *, session: str | None) -> Received:
    submission = Submission(tool=call.name, contract_version=None, arguments=call.arguments, session=session)
    if call.unreadable:
        refusal = _unreadable(call)
        receiving.note(caller, refusal, submission=submission)
        raise refusal
    return receiving.receive(caller, submission, call_id=call.id)


def _unreadable(call: ModelCall) -> Refusal:
    """Arguments that are no JSON text are refused as they came; what they may have meant is nobody's guess."""
    text = call.arguments if isinstance(call.arguments, str) else ""
    nothing = not text.strip()
    return Refusal(
        "invalid_arguments",
        detail="The arguments do not fit the contract." if nothing else f"The arguments are no JSON: {call.unreadable}",
        hint='Send the arguments as the JSON text of one object; without any, send "{}".',
        errors=({**_OBJECT, "received": shown(call.arguments)},),
        raw=text.encode("utf-8", "replace"),
    )


def _refused(pointer: str, keyword: str, expected: str, detail: str) -> Refusal:
    errors = ({"pointer": pointer, "keyword": keyword, "expected": expected, "received": ""},)
    return Refusal("malformed_request", detail=detail, hint="Nothing of this turn was proposed.", errors=errors)
