"""Contracts as their owners and everybody else in the organization read them."""

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language

from journal.clock import now as database_now
from proposals.contracts import Contract
from proposals.evaluating import runs_of
from proposals.models import ContractVersion
from proposals.sizes import tokens_of
from proposals.vetting import active_before, changes_between, findings_of
from systems.adapters.registry import systems
from web.doors import page, person, plain
from web.owners.queries import read_of, reads_of, version_of, visible
from web.owners.releasing import release


def _served(contract: Contract) -> dict[str, Any]:
    """What a model is given to read, whatever the family's names for it."""
    return {"description": contract.description, "arguments": contract.arguments}


@page
def contracts(request: HttpRequest) -> HttpResponse:
    """Every contract, with its versions."""
    context = {"room": "owners", "now": database_now(), "contracts": reads_of(visible(person(request))[:500])}
    return render(request, "owners/contracts.html", context)


@page
def contract(request: HttpRequest, name: str, version: str) -> HttpResponse:
    """One version: what it asks, who may, what follows, what proves it; and the file as its owner wrote it."""
    row = version_of(person(request), plain(name), plain(version), plain(request.GET.get("organization", "")))
    if row is None:
        raise Http404
    return shown(request, row)


def shown(
    request: HttpRequest, row: ContractVersion, *, form: forms.Form | None = None, status: int = 200
) -> HttpResponse:
    """The page of this version; with a form, what was typed in it and what is wrong with it."""
    reader, read = person(request), read_of(row)
    others = visible(reader).filter(name=row.name, organization=row.organization).exclude(pk=row.pk)
    against = plain(request.GET.get("against", ""))
    earlier = others.filter(version=against).first() if against else active_before(row)
    context = {
        "room": "owners",
        "now": database_now(),
        "read": read,
        "version": row,
        "contract": read.contract,
        "language": (get_language() or "en")[:2],
        "others": others,
        "earlier": earlier,
        "changes": changes_between(earlier, row) if earlier else [],
        "system": systems().get(read.contract.execution.system),
        "findings": findings_of(row),
        "runs": runs_of(row),
        "tokens": tokens_of({"name": row.name, **_served(read.contract)}),
        "form": form,
        **release(row, reader),
    }
    return render(request, "owners/contract.html", context, status=status)
