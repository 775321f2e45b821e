"""The page of figures."""

from datetime import timedelta
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from journal.clock import now as database_now
from tenancy.access import organizations_with
from tenancy.models import Organization, User
from web.doors import page, person, plain
from web.figures.bars import parts
from web.figures.queries import ENDS, Figures, blocking, by_tool, by_version
from web.figures.thresholds import THRESHOLDS

ROLES = ("owner", "operator", "auditor")
DAYS = (7, 30, 90)


@page
def figures(request: HttpRequest) -> HttpResponse:
    """What became of everything that was asked in the last days, tool by tool, and what must never happen."""
    reader = person(request)
    organization = _organization(reader, plain(request.GET.get("organization", "")))
    asked = request.GET.get("days", "")
    days = int(asked) if asked in map(str, DAYS) else DAYS[1]
    now = database_now()
    since = now - timedelta(days=days)
    context = {
        "room": "figures",
        "now": now,
        "organization": organization,
        "organizations": organizations_with(reader, roles=ROLES).order_by("name"),
        "days": days,
        "choices": DAYS,
        "tools": [_drawn(one) for one in by_tool(organization, since=since)],
        "versions": by_version(organization, since=since),
        "blocking": blocking(organization),
        "ends": ENDS,
    }
    return render(request, "figures/figures.html", context)


def _organization(reader: User, slug: str) -> Organization:
    rows = organizations_with(reader, roles=ROLES).order_by("name")
    row = (rows.filter(slug=slug) if slug else rows).first()
    if row is None:
        raise Http404
    return row


def _drawn(one: Figures) -> dict[str, Any]:
    verdicts = [(threshold, threshold.rate(one), threshold.verdict(one)) for threshold in THRESHOLDS]
    return {"figures": one, "parts": parts(one.ends) if one.asked else [], "thresholds": verdicts}
