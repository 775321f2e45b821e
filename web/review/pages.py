"""The approver's pages: inbox, case, check page, receipt. They read; nothing here changes anything."""

import hashlib
import json
from typing import Any

from django.db.models import Max
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language

from approvals.models import Signature
from approvals.signing import PRESENT_FOR, is_present
from journal.clock import now as database_now
from proposals.contracts import contract_of
from proposals.models import Revision
from web import presence
from web.doors import page, person
from web.formatting.reasons import REVOKE
from web.review import queries
from web.review.casefile import CaseFile, open_file
from web.review.forms import ReasonForm

_MAX_OFFSET = 10_000
# Where the fields of each form stand on the page, so that the summary of errors can link to them.
_PREFIXES = {
    "refuse_form": "refuse-",
    "change_form": "change-",
    "revoke_form": "revoke-",
    "cancel_form": "cancel-",
    "comment_form": "comment-",
    "claim_form": "claim-",
}


@page
def inbox(request: HttpRequest) -> HttpResponse:
    """What waits for this person: the most consequential first, then the least time left."""
    reader, now = person(request), database_now()
    tab = request.GET.get("tab", "decide")
    if tab not in queries.TABS:
        raise Http404
    search, offset = request.GET.get("q", "").strip(), _offset(request)
    rows = queries.inbox(reader, tab=tab, now=now, search=search, offset=offset)
    context = {
        "room": "review",
        "now": now,
        "tab": tab,
        "search": search,
        "counts": queries.counts(reader, now=now),
        "rows": rows[: queries.PAGE],
        "next_offset": offset + queries.PAGE if len(rows) > queries.PAGE else None,
        "tag": _tag(tab, search, offset, now.strftime("%H%M"), *(_fingerprint(row) for row in rows)),
    }
    return _unless_known(request, context, "review/inbox.html")


def _fingerprint(row: queries.Row) -> tuple[Any, ...]:
    return row.proposal.pk, row.proposal.chain_length, row.signed, row.waits_for, row.looks_like


@page
def case(request: HttpRequest, public_id: str) -> HttpResponse:
    """The case: target, reason, consequence first; then who says what, what was checked, and what may be decided."""
    proposal = queries.proposal_of(person(request), public_id)
    number = _number(request)
    file = open_file(person(request), proposal, number=queries.revision_of(proposal, number).number)
    return case_page(request, file)


def case_page(request: HttpRequest, file: CaseFile, *, status: int = 200, **forms: Any) -> HttpResponse:
    """The case page, with the forms of an act that was not accepted, if any."""
    context = {
        "room": "review",
        "now": file.now,
        "file": file,
        "refuse_form": forms.get("refuse_form") or ReasonForm(codes=file.contract.reasons.refuse),
        "change_form": forms.get("change_form") or ReasonForm(codes=file.contract.reasons.change),
        "revoke_form": forms.get("revoke_form") or ReasonForm(codes=REVOKE),
        "cancel_form": forms.get("cancel_form") or ReasonForm(codes=REVOKE),
        "comment_form": forms.get("comment_form"),
        "claim_form": forms.get("claim_form"),
        "wrong": next((form for form in forms.values() if form and form.errors), None),
        "wrong_prefix": next((_PREFIXES[name] for name, form in forms.items() if form and form.errors), ""),
        "tag": _tag(
            file.proposal.chain_length,
            file.standing.status,
            file.standing.waiting,
            file.now.strftime("%H%M"),
            file.open,
            len(file.journal),
        ),
    }
    if status != 200:
        return render(request, "review/case.html", context, status=status)
    return _unless_known(request, context, "review/case.html")


@page
def check(request: HttpRequest, public_id: str) -> HttpResponse:
    """The last look before a signature: revision, contract version, consequence and expiry, once more."""
    file = open_file(person(request), queries.proposal_of(person(request), public_id))
    present_at = presence.proven_at(request)
    context = {
        "room": "review",
        "now": file.now,
        "file": file,
        "expires": file.now + file.contract.policy.approval_valid_for,
        "present": is_present(file.contract, present_at, now=file.now),
        "present_for": PRESENT_FOR,
        "ways": presence.ways(request, back_to=request.path),
    }
    return render(request, "review/check.html", context)


@page
def receipt(request: HttpRequest, public_id: str) -> HttpResponse:
    """What was signed, by whom, until when, and what comes next; it stays, and prints."""
    reader, now = person(request), database_now()
    signature = queries.signature_of(reader, public_id)
    file = open_file(reader, signature.revision.proposal, number=signature.revision.number)
    context = {
        "room": "review",
        "now": now,
        "file": file,
        "signature": signature,
        "payload": json.loads(bytes(signature.payload)),
        "contract": contract_of(signature.revision.contract),
        "next": queries.next_to_decide(reader, now=now, apart_from=signature.revision.proposal_id),
        "mine": signature.person_id == reader.pk,
    }
    return render(request, "review/receipt.html", context)


@page
def receipt_file(request: HttpRequest, public_id: str) -> HttpResponse:
    """The exact bytes that were signed: their SHA-256 is the digest on the receipt."""
    signature = queries.signature_of(person(request), public_id)
    answer = HttpResponse(bytes(signature.payload), content_type="application/json")
    answer["Content-Disposition"] = f'attachment; filename="countersign-A-{signature.pk}.json"'
    answer["Digest"] = signature.digest
    return answer


def newest_receipt(file: CaseFile, signer: Any) -> Signature | None:
    """The person's latest signature on the current revision."""
    newest = Signature.objects.filter(revision=file.revision, person=signer).aggregate(newest=Max("pk"))["newest"]
    return Signature.objects.filter(pk=newest).first()


def _number(request: HttpRequest) -> int | None:
    text = request.GET.get("revision", "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise Http404
    return int(text)


def _offset(request: HttpRequest) -> int:
    text = request.GET.get("offset", "0")
    return min(int(text), _MAX_OFFSET) if text.isascii() and text.isdigit() and len(text) < 9 else 0


def _tag(*parts: Any) -> str:
    return hashlib.sha256(repr((get_language(), *parts)).encode()).hexdigest()[:24]


def _unless_known(request: HttpRequest, context: dict[str, Any], template: str) -> HttpResponse:
    """304 to a live part that already shows this; the whole page otherwise."""
    tag = f'"{context["tag"]}"'
    if request.headers.get("HX-Request") and request.headers.get("If-None-Match") == tag:
        return HttpResponse(status=304, headers={"ETag": tag})
    answer = render(request, template, context)
    answer["ETag"] = tag
    return answer


def stale_page(request: HttpRequest, *, public_id: str, seen: int) -> HttpResponse:
    """A newer revision exists: what changed, and the way to it. Nothing was recorded."""
    proposal = queries.proposal_of(person(request), public_id)
    file = open_file(person(request), proposal)
    older = Revision.objects.filter(proposal=proposal, number=seen).first()
    if older and older.number != file.revision.number:
        file.compare_with(older)
    context = {"room": "review", "now": file.now, "file": file, "seen": seen}
    return render(request, "review/stale.html", context, status=409)
