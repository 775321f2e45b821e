"""A rehearsal as people read it, while it grows and once it is over: a page, and a file to keep."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext as _now

from journal.clock import now as database_now
from proposals.contracts import contract_of
from rehearsals.models import Rehearsal, Step
from rehearsals.paths import paths_of
from rehearsals.reporting import report
from rehearsals.wording import BROKE_OFF, CAUSES, CORRECTED_BY, GAPS, GROUPS, NAMES, NOT_TRIED, TITLES, VALUES
from tenancy.models import User
from web.doors import page, person
from web.formatting import statuses
from web.owners.queries import read_of, visible


@dataclass(frozen=True)
class Line:
    """One step for reading; `step` is None while it has not been played."""

    title: Promise | str
    step: Step | None
    facts: list[tuple[Promise | str, Any, Any, bool]]
    words: Promise | str
    cause: Promise | str


@page
def rehearsal(request: HttpRequest, number: str) -> HttpResponse:
    """One rehearsal: its verdict, and every step with what was expected, observed and proven."""
    row = _of(person(request), number)
    read = read_of(row.contract)
    steps = {step.key: step for step in row.steps.order_by("number")}
    context = {
        "room": "owners",
        "now": database_now(),
        "rehearsal": row,
        "read": read,
        "groups": list(_groups(row, steps)),
        "played": len(steps),
        "failed": sum(step.verdict == Step.Verdict.FAILED for step in steps.values()),
        "broke_off": BROKE_OFF.get(row.broke_off, row.broke_off),
        "again": CORRECTED_BY.format(version=f"{row.contract.name}@{row.contract.version}", system=row.system),
        "tag": f"{row.pk}-{len(steps)}-{row.verdict}",
    }
    return render(request, "owners/rehearsal.html", context)


@page
def report_file(request: HttpRequest, number: str) -> HttpResponse:
    """The report as JSON, to be kept."""
    row = _of(person(request), number)
    answer = JsonResponse(report(row), json_dumps_params={"ensure_ascii": False, "indent": 2})
    answer["Content-Disposition"] = f'attachment; filename="rehearsal-{row.public_id}.json"'
    return answer


def _of(reader: User, number: str) -> Rehearsal:
    digits = number.removeprefix("R-")
    pk = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 19 else 0
    rows = Rehearsal.objects.filter(contract__in=visible(reader).order_by().values("pk"))
    row = rows.filter(pk=pk).select_related("contract__organization", "asked_by").first()
    if row is None:
        raise Http404
    return row


def _groups(row: Rehearsal, steps: dict[str, Step]) -> Iterator[tuple[Promise, list[Line]]]:
    for group, paths in groupby(paths_of(contract_of(row.contract)), key=lambda path: path.group):
        yield GROUPS[group], [_line(path.key, steps.get(path.key)) for path in paths]


def _line(key: str, step: Step | None) -> Line:
    title = TITLES[key]
    if step is None:
        return Line(title, None, [], "", "")
    if step.verdict == Step.Verdict.NOT_TRIED:
        why = str(step.observed.get("not_tried", ""))
        return Line(title, step, [], NOT_TRIED.get(why, why), "")
    named = [*step.expected, *(name for name in step.observed if name not in step.expected)]
    facts = [
        (NAMES.get(name, name), _told(step.expected.get(name)), _told(step.observed.get(name)), name == step.gap)
        for name in named
    ]
    failed = step.verdict == Step.Verdict.FAILED
    return Line(title, step, facts, GAPS[key] if failed else "", CAUSES.get(step.cause, step.cause))


def _told(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return _now("yes") if value else _now("no")
    if isinstance(value, list):
        return _now(" or ").join(_told(one) for one in value)
    text = str(value)
    return str(VALUES[text] if text in VALUES else statuses.words(text))
