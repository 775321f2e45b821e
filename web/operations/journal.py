"""The journal of an organization in plain words, and its verification, for auditors."""

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from journal.chain import snapshot
from journal.clock import now as database_now
from journal.queries import Report, entries_of_organization, verify
from proposals.models import Proposal
from tenancy.access import organizations_with
from tenancy.models import Organization, User
from web.doors import act, page, person, plain
from web.formatting.telling import lines

PAGE = 50


@page
def entries(request: HttpRequest) -> HttpResponse:
    """The newest entries first, fifty at a time."""
    return _shown(request)


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
    organization = _organization(request)
    text = request.GET.get("before", "")
    before = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
    told = entries_of_organization(organization.pk, before=before, limit=PAGE + 1)
    context = {
        "room": "journal",
        "now": database_now(),
        "organization": organization,
        "entries": lines(told[:PAGE]),
        "next_before": told[PAGE - 1].id if len(told) > PAGE else None,
        "report": report,
    }
    return render(request, "journal/journal.html", context)
