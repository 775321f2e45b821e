"""What happened, in order: hand-overs, answers, probes and people's evidence, each in plain words with its tone."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from intents.models import Attempt, Evidence, Intent
from web.formatting.faults import fault_words


@dataclass(frozen=True)
class Event:
    """One line. `details` are short facts; `rules` the contract's rules as judged; `words` a person's own."""

    at: datetime
    what: str
    tone: str
    details: str = ""
    excerpt: str = ""
    rules: tuple[dict[str, Any], ...] = ()
    words: str = ""
    link: str = ""


def timeline(intent: Intent, *, attempts: list[Attempt], evidence: list[Evidence]) -> list[Event]:
    """Everything that was sent and seen, oldest first."""
    events = [event for attempt in attempts for event in _of_attempt(attempt, intent)]
    events += [_of_evidence(one, intent) for one in evidence]
    return sorted(events, key=lambda event: event.at)


def _of_attempt(attempt: Attempt, intent: Intent) -> list[Event]:
    size, digest = len(bytes(attempt.body)), attempt.digest.removeprefix("sha256:")[:12]
    details = _("%(method)s to “%(system)s”, %(size)d bytes, digest %(digest)s…") % {
        "method": attempt.method,
        "system": intent.system,
        "size": size,
        "digest": digest,
    }
    sent = Event(attempt.marked_at, _("Handed over, attempt %(n)d") % {"n": attempt.number}, "doubt", details)
    if attempt.result == Attempt.Result.NO_ANSWER:
        lost = Event(attempt.closed_at or attempt.deadline, _("No answer that proves anything"), "doubt")
        return [sent, Event(lost.at, lost.what, lost.tone, fault_words(attempt.fault))]
    if attempt.result == Attempt.Result.NOT_DELIVERED:
        what = _("Attempt %(n)d never left") % {"n": attempt.number}
        return [sent, Event(attempt.closed_at or attempt.marked_at, what, "", fault_words(attempt.fault))]
    return [sent]


def _of_evidence(one: Evidence, intent: Intent) -> Event:
    tone = {"proves": "good", "contradicts": "bad", "disproves": "bad"}.get(one.verdict, "")
    return Event(
        at=one.at,
        what=_source(one),
        tone=tone,
        details="" if one.rules else _details(one, intent),
        excerpt=one.excerpt,
        rules=tuple(one.rules),
        words=one.words,
        link=one.link,
    )


def _source(one: Evidence) -> str:
    status = f" ({one.status})" if one.status else ""
    late = _(", late") if one.late else ""
    found = one.verdict != Evidence.Verdict.NOTHING or one.fields
    if one.source == Evidence.Source.PROBE:
        told = _("Looked up: found") if found else _("Looked up: nothing found")
        if one.fault:
            told = _("Looked up: no answer")
        return told + (f" · {one.person.shown_name}" if one.person else "")
    if one.source == Evidence.Source.ANSWER and one.fault:  # no answer: the attempt says of itself that it never began
        return _("The attempt never left") + late
    return {
        Evidence.Source.ANSWER: _("Answer of the business system") + status + late,
        Evidence.Source.CONFIRMATION: _("Read back from the business system") + status,
        Evidence.Source.CALLBACK: _("The business system called back") + late,
        Evidence.Source.CANCELLATION: _("Answer to the cancellation") + status,
        Evidence.Source.PERSON: _("Evidence recorded by %(person)s")
        % {"person": one.person.shown_name if one.person else "–"},
    }.get(Evidence.Source(one.source), one.source)


def _details(one: Evidence, intent: Intent) -> str:
    if one.fault:
        return fault_words(one.fault)
    if one.source == Evidence.Source.PROBE and one.verdict == Evidence.Verdict.NOTHING and not one.fields:
        meaningful = intent.absence_meaningful_at
        if meaningful and one.at < meaningful:
            return _("Too early to mean anything: an effect may still be invisible")
        return _("After the visibility delay. Only a person may conclude.")
    return ", ".join(f"{name}: {value}" for name, value in one.fields.items())
