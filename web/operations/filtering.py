"""Which entries of the journal an auditor wants to see: what about, by whom, of which proposal, of which days."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from journal.kinds import Kind
from journal.queries import Wanted
from web.formatting.times import zone

# What the entries are about, by the first word of their kind; some words belong to two.
ABOUT: dict[str, tuple[str | Promise, frozenset[str]]] = {
    "proposals": (_("What agents asked"), frozenset({"proposal", "submission"})),
    "decisions": (
        _("What was decided"),
        frozenset({"decision", "signature", "changes", "comment", "authorization", "case", "proposal"}),
    ),
    "orders": (
        _("Hand-overs and outcomes"),
        frozenset({"intent", "attempt", "outcome", "evidence", "probe", "callback", "cancellation"}),
    ),
    "unknown": (
        _("How unknown outcomes were established"),
        frozenset({"reconciliation", "outcome", "probe", "case", "fence"}),
    ),
    "contracts": (_("Contracts"), frozenset({"contract", "waiver"})),
    "operations": (
        _("Stops and operations"),
        frozenset({"admissions", "drill", "circuit", "handover", "webhook", "callback"}),
    ),
    "people": (_("Roles, agents, tokens, erasures"), frozenset({"role", "token", "agent", "personal"})),
}
REFUSED = frozenset(
    {
        Kind.SUBMISSION_REFUSED,
        Kind.SIGNATURE_REFUSED,
        Kind.PROPOSAL_REFUSED,
        Kind.PROPOSAL_STOPPED,
        Kind.INTENT_VOIDED,
        Kind.ATTEMPT_REFUSED,
        Kind.CALLBACK_REFUSED,
    }
)
_DATE = {"invalid": _("Give a day, such as 2026-12-01.")}


def kinds_about(subject: str) -> tuple[str, ...]:
    """The kinds of entries about one of ABOUT, or `refused`; none for an empty subject, which means all."""
    if subject == "refused":
        return tuple(sorted(REFUSED))
    words = ABOUT[subject][1] if subject else frozenset()
    return tuple(kind.value for kind in Kind if kind.value.split(".")[0] in words)


class FilterForm(forms.Form):
    """The filters as they stand in the address; each may be left empty."""

    about = forms.ChoiceField(
        required=False,
        choices=[("", _("Everything")), ("refused", _("What was refused or stopped"))]
        + [(name, words) for name, (words, _kinds) in ABOUT.items()],
        error_messages={"invalid_choice": _("Choose one of the subjects listed.")},
    )
    who = forms.CharField(required=False, max_length=200, strip=True)
    proposal = forms.RegexField(
        r"^P-[1-9][0-9]{0,17}$",
        required=False,
        strip=True,
        error_messages={"invalid": _("A proposal’s number, such as P-42.")},
    )
    since = forms.DateField(required=False, error_messages=_DATE)
    until = forms.DateField(required=False, error_messages=_DATE)

    def clean(self) -> dict[str, Any]:
        """The last day is not before the first."""
        data = super().clean() or {}
        if data.get("since") and data.get("until") and data["until"] < data["since"]:
            self.add_error("until", _("It ends before it begins."))
        return data

    @property
    def wanted(self) -> Wanted:
        """What the database is asked for; days are those of the reader's zone, the last one included."""
        data: Mapping[str, Any] = self.cleaned_data
        last = data["until"]
        return Wanted(
            kinds=kinds_about(data["about"]),
            actor=data["who"],
            chain=data["proposal"],
            since=_begins(data["since"]) if data["since"] else None,
            until=_begins(last + timedelta(days=1)) if last and last < date.max else None,
        )

    @property
    def address(self) -> str:
        """The filters in use as part of an address, each with its name."""
        given = {name: self.data.get(name, "") for name in self.fields}
        return urlencode({name: value for name, value in given.items() if value})


def _begins(day: date) -> datetime:
    """When the day begins on the reader's wall; days at the edge of the calendar begin in UTC."""
    edge = day.year <= 1 or day.year >= date.max.year
    return datetime.combine(day, time.min, tzinfo=UTC if edge else zone())
