"""The journal of an organization in plain words, and its verification, for auditors."""

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render

from journal.chain import snapshot
from journal.clock import now as database_now
from journal.queries import Report, entries_of_organization, kept, verify
from proposals.models import Proposal
from tenancy.access import organizations_with
from tenancy.models import Organization, User
from web.doors import act, page, person, plain
from web.formatting import breaks
from web.formatting.telling import lines
from web.operations.exporting import json_lines, table
from web.operations.filtering import FilterForm

PAGE = 50
_SHAPES = {"jsonl": (json_lines, "application/x-ndjson"), "csv": (table, "text/csv; charset=utf-8")}


@page
def entries(request: HttpRequest) -> HttpResponse:
    """The newest entries first, fifty at a time, of those that the filters in the address want."""
    return _shown(request)


@page
def export(request: HttpRequest) -> HttpResponse:
    """The same entries as a file, oldest first, however many: JSON lines that verify offline, or a table to read."""
    organization, form = _organization(request), FilterForm(request.GET)
    if not form.is_valid():
        return _shown(request)
    shape = request.GET.get("format", "jsonl")
    if shape not in _SHAPES:
        raise Http404
    write, content_type = _SHAPES[shape]
    answer = StreamingHttpResponse(write(kept(organization.pk, wanted=form.wanted)), content_type=content_type)
    answer["Content-Disposition"] = f'attachment; filename="countersign-journal-{organization.slug}.{shape}"'
    return answer  # type: ignore[return-value]  # a response all the same, which Django keeps in another branch


@act
def verifications(request: HttpRequest) -> HttpResponse:
    """Hash every entry of the organization and follow every link to where its proposals say; nothing is stored."""
    return _shown(request, report=_verified(_organization(request)))


def _verified(organization: Organization) -> Report:
    with transaction.atomic(durable=True):
        snapshot()
        rows = Proposal.objects.filter(organization=organization).exclude(chain_length=0)
        ends = rows.values_list("pk", "chain_digest", "chain_length").iterator()
        heads = {f"P-{pk}": (bytes(digest or b""), length) for pk, digest, length in ends}
        return verify(organization=organization.pk, heads=heads)


def _organization(request: HttpRequest) -> Organization:
    auditor: User = person(request)
    rows = organizations_with(auditor, roles=["auditor"]).order_by("name")
    slug = plain(request.GET.get("organization", ""))
    row = (rows.filter(slug=slug) if slug else rows).first()
    if row is None:
        raise Http404
    return row


def _shown(request: HttpRequest, *, report: Report | None = None) -> HttpResponse:
    organization, form = _organization(request), FilterForm(request.GET)
    text = request.GET.get("before", "")
    before = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
    fits = form.is_valid()
    told = entries_of_organization(organization.pk, before=before, wanted=form.wanted, limit=PAGE + 1) if fits else []
    context = {
        "room": "journal",
        "now": database_now(),
        "organization": organization,
        "form": form,
        "entries": lines(told[:PAGE]),
        "next_before": told[PAGE - 1].id if len(told) > PAGE else None,
        "report": report,
        "why_broken": breaks.words(report.reason) if report else "",
    }
    return render(request, "journal/journal.html", context, status=200 if fits else 422)
