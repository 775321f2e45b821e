"""The journal in plain words: one short line for each kind of entry, and its tone."""

from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from journal.queries import Told
from web.formatting import findings, reasons, roles, statuses, waits
from web.formatting.faults import fault_words
from web.formatting.proofs import cancellation_words
from web.formatting.refusals import refusal_words

_LINES: dict[str, tuple[str | Promise, str]] = {
    "proposal.submitted": (_("Proposal submitted"), ""),
    "proposal.revised": (_("New revision submitted"), ""),
    "proposal.withdrawn": (_("Withdrawn by the requester"), ""),
    "proposal.expired": (_("Expired: nothing was sent"), ""),
    "proposal.answered": (_("Answered"), "good"),
    "proposal.stopped": (_("Stopped before anything was sent"), "bad"),
    "submission.refused": (_("Submission refused"), "bad"),
    "submission.replayed": (_("Submitted again with the same key: nothing new"), ""),
    "decision.taken": (_("Policy decided"), ""),
    "signature.given": (_("Signed"), "good"),
    "signature.refused": (_("A signature was not accepted"), "bad"),
    "signature.revoked": (_("Signature revoked"), "bad"),
    "proposal.refused": (_("Refused"), "bad"),
    "changes.requested": (_("Changes requested"), ""),
    "comment.made": (_("Comment"), ""),
    "case.claimed": (_("Claimed"), ""),
    "authorization.granted": (_("Authorised: enough people have signed"), "good"),
    "authorization.voided": (_("Authorisation void"), "bad"),
    "intent.opened": (_("Order to act opened"), ""),
    "intent.waiting": (_("Waiting before hand-over"), ""),
    "intent.voided": (_("Stopped: nothing was sent"), "bad"),
    "attempt.marked": (_("Handed over to the business system"), ""),
    "attempt.not_delivered": (_("The attempt never left"), ""),
    "attempt.accepted": (_("Accepted by the business system, not established yet"), ""),
    "attempt.refused": (_("Refused by the business system"), "bad"),
    "outcome.confirmed": (_("Confirmed with evidence"), "good"),
    "outcome.unknown": (_("Outcome unknown"), "doubt"),
    "outcome.diverged": (_("Another effect than the approved one"), "bad"),
    "outcome.not_executed": (_("Established: it did not happen"), ""),
    "evidence.recorded": (_("Evidence recorded"), ""),
    "probe.made": (_("Looked up in the business system"), ""),
    "callback.refused": (_("A message in the name of a business system was not heard"), "bad"),
    "cancellation.requested": (_("Cancellation requested"), ""),
    "cancellation.sent": (_("Cancellation sent to the business system, once"), "doubt"),
    "cancellation.answered": (_("What became of the cancellation"), ""),
    "reconciliation.taken": (_("Taken by a person"), ""),
    "reconciliation.handed_over": (_("Handed over to a colleague"), ""),
    "reconciliation.concluded": (_("A person concluded"), ""),
    "reconciliation.seconded": (_("A second person agreed"), ""),
    "reconciliation.escalated": (_("Escalated: every planned look was made"), "doubt"),
    "fence.lift_asked": (_("Asked to let the object go although its outcome is unknown"), "doubt"),
    "fence.lifted": (_("Two people let the object go; the outcome stays unknown"), "doubt"),
    "attempt.reopened": (_("A new attempt asked for, to be signed afresh"), ""),
    "case.closed": (_("Case closed"), ""),
    "contract.published": (_("Contract version published"), ""),
    "contract.activated": (_("Contract version active"), "good"),
    "contract.retired": (_("Contract version retired"), ""),
    "waiver.changed": (_("Active under another waiver"), ""),
    "waiver.lifted": (_("Active without a waiver from now on"), "good"),
    "admissions.stopped": (_("Admissions stopped"), "bad"),
    "admissions.resumed": (_("Admissions resumed"), "good"),
    "drill.recorded": (_("A drill was done"), "good"),
    "circuit.opened": (_("A business system does not answer: its orders wait"), "bad"),
    "circuit.closed": (_("Orders to a business system go on"), "good"),
    "handover.paused": (_("Hand-over paused: the database is older than its epoch file"), "bad"),
    "handover.resumed": (_("Hand-over resumed by an operator"), "good"),
    "role.granted": (_("Role given"), ""),
    "role.removed": (_("Role ended"), ""),
    "token.minted": (_("Agent token made"), ""),
    "token.revoked": (_("Agent token revoked"), "bad"),
    "agent.added": (_("Agent added"), ""),
    "agent.disabled": (_("Agent disabled"), "bad"),
    "webhook.added": (_("Webhook added"), ""),
    "webhook.ended": (_("Webhook ended"), ""),
    "personal.erased": (_("Personal words erased"), ""),
}

_ACTORS: dict[str, str | Promise] = {
    "person": "",
    "agent": _("agent"),
    "worker": _("worker"),
    "adapter": _("business system"),
    "server": _("the server"),
}
_SHOWN = (
    "tool",
    "code",
    "cause",
    "reason",
    "waiting",
    "waiting_on",
    "on",
    "finding",
    "then",
    "fault",
    "status",
    "role",
    "verdict",
    "result",
)
# Whom or what an entry without a proposal is about; with a proposal, its page tells.
_ABOUT = ("agent", "person", "scope", "contract", "version", "system", "name")


@dataclass(frozen=True)
class Line:
    """One entry for reading. `details` are short facts; `words` a person's or agent's own words."""

    told: Told
    what: str | Promise
    tone: str
    who: str
    details: tuple[str, ...]
    words: str


def line(told: Told) -> Line:
    """The entry in plain words."""
    what, tone = _LINES.get(told.kind, (told.kind, ""))
    kind = _ACTORS.get(told.actor_kind, told.actor_kind)
    who = str(kind) if told.actor_kind == "server" else f"{kind} {told.actor}".strip()
    return Line(told, what, tone, who, _details(told), _said(told.personal))


def lines(entries: list[Told]) -> list[Line]:
    """Entries in plain words, in the order given."""
    return [line(told) for told in entries]


def _details(told: Told) -> tuple[str, ...]:
    about = told.subjects if told.chain is None else {}
    shown = [_plain(about[name]) for name in _ABOUT if name in about]
    shown += [_spelt(name, told.facts[name]) for name in _SHOWN if name in told.facts]
    return tuple(dict.fromkeys(detail for detail in shown if detail))


def _plain(value: Any) -> str:
    """The value where it is short and says something."""
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _spelt(name: str, value: Any) -> str:
    words = {
        "code": refusal_words,
        "reason": reasons.words,
        "verdict": statuses.verdict,
        "fault": fault_words,
        "cause": fault_words,
        "result": cancellation_words,
        "waiting": waits.words,
        "finding": findings.finding,
        "then": findings.then,
        "role": roles.words,
    }
    plain = _plain(value)
    return str(words[name](plain)) if plain and name in words else plain


def _said(personal: dict[str, Any] | None) -> str:
    words = (personal or {}).get("words")
    return words if isinstance(words, str) else ""
