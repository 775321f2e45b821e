"""What an answer of a business system means: the table of outcomes, as one pure function.

The order of the lines is the order of the questions; whatever no line recognises is *unknown*.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from intents.evidence import Judgement, Verdict
from intents.states import State
from systems.adapters.base import Delivery, Reply

NOT_DELIVERED, ANSWERED, NO_ANSWER = "not_delivered", "answered", "no_answer"
TEMPORARY = frozenset({408, 425, 429})
# After the first byte only the deadline ends the waiting. Whether the clock of the worker or of the database says so
# first is a matter of milliseconds, so it has one name.
OUT_OF_TIME = frozenset({"read_timeout", "write_timeout"})


@dataclass(frozen=True)
class Outcome:
    """Where one attempt leads. `result` is how the attempt closes; `cause` is one word, kept with the intent.

    `probe_soon`: a look at the business system is worth making at once. `foreign`: the answer speaks of
    somebody else's effect, so nothing of it may be kept or shown. `alert`: an operator should know.
    """

    state: State
    cause: str
    verdict: Verdict
    result: str
    probe_soon: bool = False
    foreign: bool = False
    alert: bool = False


def names_us(reply: Reply, *, reference: str, echoes: bool) -> bool:
    """Whether an answer names this intent: by our reference or, where no echo is declared, by being the answer."""
    return reply.reference == reference if echoes else reply.reference in (None, reference)


def conclude(reply: Reply, judgement: Judgement, *, reference: str, echoes: bool) -> Outcome:
    """Say what one hand-over led to.

    `judgement` is that of the contract's rules over the answer's fields; `echoes` is whether the business
    system declares that its answers carry our reference.
    """
    if reply.delivery is Delivery.NEVER_SENT:
        return Outcome(
            State.READY, reply.fault or "not_sent", Verdict.NOTHING, NOT_DELIVERED, alert=reply.fault == "tls"
        )
    if reply.delivery is Delivery.MAYBE_SENT:
        cause = "deadline" if reply.fault in OUT_OF_TIME else reply.fault or "no_answer"
        return Outcome(State.UNKNOWN, cause, Verdict.NOTHING, NO_ANSWER)
    if reply.fault:
        return _unknown(reply.fault)
    if reply.not_processed:
        return Outcome(State.READY, "not_processed", Verdict.NOTHING, NOT_DELIVERED)
    if reply.refused:
        return Outcome(State.REFUSED, f"status_{reply.status}", Verdict.DISPROVES, ANSWERED)
    if not (reply.accepted or reply.success):
        return _indecisive(reply)
    if reply.reference not in (None, reference):
        return _unknown("foreign_reference", foreign=True, alert=True)
    if reply.accepted:
        return Outcome(State.ACCEPTED, "accepted", Verdict.NOTHING, ANSWERED)
    return _of_success(reply, judgement, reference=reference, echoes=echoes)


def _unknown(cause: str, **more: bool) -> Outcome:
    return Outcome(State.UNKNOWN, cause, Verdict.NOTHING, ANSWERED, probe_soon=True, **more)


def _of_success(reply: Reply, judgement: Judgement, *, reference: str, echoes: bool) -> Outcome:
    if not names_us(reply, reference=reference, echoes=echoes):
        return _unknown("no_reference", alert=True)
    if judgement.verdict is Verdict.PROVES:
        return Outcome(State.CONFIRMED, "proven", Verdict.PROVES, ANSWERED)
    if judgement.verdict is Verdict.CONTRADICTS:
        return Outcome(State.DIVERGED, judgement.because, Verdict.CONTRADICTS, ANSWERED, alert=True)
    return _unknown("incomplete_answer")


def _indecisive(reply: Reply) -> Outcome:
    status = reply.status or 0
    if not reply.readable and 200 <= status < 300:
        return _unknown("unreadable_answer")
    if 300 <= status < 400:
        return _unknown("redirect", alert=True)
    if status == 409:
        return _unknown("conflict")
    if status in TEMPORARY or status >= 500:
        return _unknown("temporary_fault")
    if 400 <= status < 500:
        return _unknown("undocumented_refusal")
    return _unknown("no_success")


def settled_by_search(outcome: Outcome, search: Judgement, *, complete: bool) -> Outcome:
    """What a success or a refusal of a *further* attempt means once the reference was looked up.

    An earlier attempt may have had an effect after all: only exactly one effect confirms, and a refusal
    stands only while the search shows none.
    """
    if search.verdict is Verdict.CONTRADICTS:
        return Outcome(State.DIVERGED, search.because, Verdict.CONTRADICTS, ANSWERED, alert=True)
    if search.verdict is Verdict.PROVES:
        return Outcome(State.CONFIRMED, "proven", Verdict.PROVES, ANSWERED)
    if outcome.state is State.REFUSED and complete and search.because == "nothing_found":
        return outcome
    return _unknown("search_does_not_settle")


def settled_by_confirmation(outcome: Outcome, search: Judgement) -> Outcome:
    """What an answer that proves nothing means once the business system was read back, by our reference.

    Exactly one matching effect confirms; another effect, or two, diverge; whatever else it shows changes nothing.
    """
    if search.verdict is Verdict.PROVES:
        return replace(outcome, state=State.CONFIRMED, cause="proven")
    if search.verdict is Verdict.CONTRADICTS:
        return replace(outcome, state=State.DIVERGED, cause=search.because, alert=True)
    return replace(outcome, probe_soon=False)  # it was looked at a moment ago: the declared schedule goes on


def safe_fields(fields: Mapping[str, Any], *, kept: frozenset[str]) -> dict[str, Any]:
    """The fields evidence may keep: those the contract verifies or outputs, nothing else of a foreign body."""
    return {name: value for name, value in fields.items() if name in kept}
