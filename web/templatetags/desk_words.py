"""The desk's own words: causes, findings, how a case was closed, the checks of a ledger."""

from datetime import datetime
from typing import Any

from django import forms, template
from django.utils.dateparse import parse_datetime
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from intents.models import Recheck
from intents.outages import SILENT
from proposals.contracts import Contract
from web.formatting import findings, ledgers, proofs, times
from web.formatting.faults import fault_words
from web.formatting.unseen import reveal

register = template.Library()

_CLOSINGS: dict[str, Promise] = {
    "confirmed": _("confirmed"),
    "refused": _("refused by the business system"),
    "diverged": _("another effect was found"),
    "not_executed": _("it did not happen"),
    "reopened": _("a new attempt was asked for"),
    "compensated": _("compensated"),
    "accepted": _("accepted as it is"),
}
_VALUES: dict[str, Promise] = {
    "open": _("open"),
    "valid": _("valid"),
    "entitled": _("entitled"),
    "holds": _("holds"),
    "active": _("active"),
    "revoked": _("revoked"),
    "disabled": _("disabled"),
}


@register.filter
def cause_words(cause: str) -> str:
    """Why the outcome is unknown, in words."""
    words = fault_words(cause)
    return words[:1].upper() + words[1:]


@register.filter
def trouble_words(trouble: str) -> str:
    """What the cases of one event have in common."""
    return str(_("Their answers did not arrive")) if trouble == SILENT else cause_words(trouble)


@register.filter
def finding_words(finding: str) -> str:
    """What a person concluded."""
    return findings.finding(finding)


@register.filter
def rung_words(rung: str) -> str:
    """How far a proof reaches."""
    return str(proofs.RUNGS.get(rung, rung))


@register.filter
def not_reached(rung: str) -> str:
    """What is said of a rung that was not reached."""
    return str(proofs.NOT_REACHED.get(rung, ""))


@register.filter
def source_words(source: str) -> str:
    """Where an observation comes from."""
    return str(proofs.SOURCES.get(source, source))


@register.filter
def closing_words(how: str) -> str:
    """How a case was closed."""
    return str(_CLOSINGS.get(how, how))


@register.filter
def in_words(recheck: Recheck, contract: Contract) -> list[ledgers.Line]:
    """The lines of a recheck for reading, with the sentences of its contract."""
    return ledgers.lines(recheck.ledger, contract)


@register.filter
def shown(value: Any) -> SafeString | str:
    """A value of a ledger: words where it is a word, an instant in the reader's zone, a digest in short, or a dash."""
    text = "" if value is None else str(value)
    if text.startswith("sha256:"):
        return format_html('<span class="fingerprint" title="{}">{}…</span>', text, text[7:19])
    moment = _instant(text)
    if moment:
        return f"{times.full(moment)} {times.zone_name()}"
    return str(_VALUES[text]) if text in _VALUES else reveal(text) if text else "–"


def _instant(text: str) -> datetime | None:
    try:
        moment = parse_datetime(text) if "T" in text else None
    except ValueError:  # well formed, but no such day
        return None
    return moment if moment and moment.tzinfo else None


@register.simple_tag
def evidence_field(form: forms.Form | str, name: str) -> dict[str, Any]:
    """The value and errors of one evidence field; empty before anything was typed."""
    if not isinstance(form, forms.Form) or f"field_{name}" not in form.fields:
        return {"value": "", "errors": []}
    bound = form[f"field_{name}"]
    return {"value": bound.value() or "", "errors": bound.errors}


@register.simple_tag
def typed(form: forms.Form) -> dict[str, Any]:
    """Reason and words as typed, with what is wrong with them."""
    return {"reason": form["reason"].value(), "words": form["words"].value() or "", "errors": form.errors}
