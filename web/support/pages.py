"""The desk's pages: the list of outcomes in doubt, and the case. They read; nothing here changes anything."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language

from approvals.models import Signature
from intents import queries as cases
from intents.caseboard import board
from intents.caseload import SENTENCES
from intents.models import Intent
from journal.clock import now as database_now
from proposals.contracts import contract_of
from tenancy.models import User
from web.doors import page, person, plain
from web.formatting.faults import fault_words
from web.formatting.telling import lines
from web.support import queries
from web.support.forms import reason_choices
from web.support.timeline import timeline

TABS = ("open", "mine", "closed")


@page
def desk(request: HttpRequest) -> HttpResponse:
    """Outcomes in doubt and effects that differ: by consequence, then the oldest first; what is one event is folded."""
    reader, now = person(request), database_now()
    tab, asked = request.GET.get("tab", "open"), {name: plain(request.GET.get(name, "")) for name in ("outage", "q")}
    if tab not in TABS or not queries.has_desk(reader):
        raise Http404
    seen = board(
        reader,
        now=now,
        mine=tab == "mine",
        outage=asked["outage"] if tab == "open" else "",
        search=asked["q"].strip()[:300],
        offset=_offset(request.GET.get("offset", "")),
    )
    closed = queries.closed_cases(reader) if tab == "closed" else []
    context = {
        "room": "support",
        "now": now,
        "tab": tab,
        "board": seen,
        "closed": [(case, contract_of(case.intent.revision.contract)) for case in closed],
        "asked": asked,
    }
    return render(request, "support/desk.html", context)


def _offset(text: str) -> int:
    """Where a page of the list begins; the first for anything that is no number."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 6 else 0


@page
def case(request: HttpRequest, public_id: str) -> HttpResponse:
    """One case: what was sent, what was seen, the means to find out, and what may be concluded."""
    return case_page(request, public_id)


def case_of(request: HttpRequest, public_id: str) -> cases.CaseView:
    """The case as this person may see it; the same Http404 for a foreign, a missing and a misspelt one."""
    try:
        return cases.case(person(request), public_id, language=(get_language() or "en")[:2])
    except Intent.DoesNotExist as missing:
        raise Http404 from missing


def case_page(request: HttpRequest, public_id: str, *, status: int = 200, **more: Any) -> HttpResponse:
    """The case page, with what was typed in an act that was not accepted, if any."""
    view = case_of(request, public_id)
    context = {**_context(person(request), view), **more}
    return render(request, "support/case.html", context, status=status)


def _context(reader: User, view: cases.CaseView) -> dict[str, Any]:
    language, revision, contract = (get_language() or "en")[:2], view.held.revision, view.contract
    assert view.case is not None  # queries.case gives only intents that have one
    signed = Signature.objects.filter(revision=revision, authorization__isnull=False).select_related("person")
    return {
        "room": "support",
        "now": view.now,
        "view": view,
        "case": view.case,
        "intent": view.intent,
        "proposal": view.held.proposal,
        "revision": revision,
        "contract": contract,
        "title": contract.title_for(language, revision.target, view.held.arguments),
        "target_word": contract.target_words(language),
        "events": timeline(view.intent, attempts=view.attempts, evidence=view.evidence),
        "recheck": view.rechecks[-1] if view.rechecks else None,
        "signatures": list(signed.order_by("pk")),
        "cause": fault_words(view.case.cause),
        "journal": lines(list(reversed(view.journal))),
        "reasons": {finding: reason_choices(codes) for finding, codes in view.reasons.items()},
        "mine": view.case.owner_id == reader.pk,
        "colleagues": list(queries.colleagues(view.case, view.held.proposal, apart_from=reader)),
        "why_not": {name: SENTENCES.get(code, code) for name, code in vars(view.acts).items()},
    }
