"""What the business system says now about a case: asked when an approver opens it, kept nowhere, proof of nothing."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from approvals.cases import Case
from approvals.foreseeing import Outlook, outlook
from web.doors import page, person
from web.formatting.values import spelt
from web.review import queries
from web.review.casefile import open_file


@page
def preview(request: HttpRequest, public_id: str) -> HttpResponse:
    """The target as it stands now, and what its system says the order would do; only who may decide it asks."""
    file = open_file(person(request), queries.proposal_of(person(request), public_id))
    if not file.previewable:
        return redirect("case", public_id)
    told = outlook(Case(file.proposal, file.revision, file.contract, file.arguments))
    context = {"room": "review", "now": file.now, "file": file, "outlook": told, "fields": _fields(told)}
    return render(request, "review/preview.html", context)


@dataclass(frozen=True)
class Field:
    """One thing that the system said, with the words for its name; `against` marks a plain *no*."""

    words: str
    value: str
    against: bool


def _fields(told: Outlook) -> list[Field]:
    """What was said, in the reader's language and in the order of the configuration."""
    if told.foreseen is None:
        return []
    language = (get_language() or "en")[:2]
    words = told.foreseen.words
    return [
        Field(words.get(name, {}).get(language, name), _spelt(value), value is False)
        for name, value in told.foreseen.fields.items()
    ]


def _spelt(value: Any) -> str:
    """Yes and no are for true and false alone: a number 0 is a number."""
    return _("yes") if value is True else _("no") if value is False else "–" if value is None else spelt(value)
