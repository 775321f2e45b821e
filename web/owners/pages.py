"""Contracts as their owners and everybody else in the organization read them. Read-only."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language

from journal.clock import now as database_now
from proposals.contracts import Contract, contract_of, in_language
from proposals.evaluating import runs_of
from proposals.models import ContractVersion
from proposals.sizes import tokens_of
from proposals.vetting import active_before, changes_between, findings_of
from systems.adapters.registry import systems
from tenancy.models import RoleGrant, User
from web.doors import page, person, plain


@dataclass(frozen=True)
class Read:
    """A contract version with what it says, in the reader's language."""

    version: ContractVersion
    contract: Contract
    title: str
    consequence: str


def _visible(reader: User) -> QuerySet[ContractVersion]:
    """The versions of every organization in which the person holds a role now."""
    grants = RoleGrant.objects.filter(person=reader, person__is_active=True, ended_at__isnull=True)
    return (
        ContractVersion.objects.filter(organization__in=grants.values("organization"))
        .select_related("organization", "published_by", "activated_by", "retired_by")
        .order_by("organization__name", "name", "-published_at", "-pk")
    )


def _read(versions: Iterable[ContractVersion]) -> list[Read]:
    language = (get_language() or "en")[:2]
    read = []
    for version in versions:
        contract = contract_of(version)
        words = contract.consequence_words(language)
        read.append(Read(version, contract, in_language(contract.title, language), words))
    return read


def _served(contract: Contract) -> dict[str, Any]:
    """What a model is given to read, whatever the family's names for it."""
    return {"description": contract.description, "arguments": contract.arguments}


@page
def contracts(request: HttpRequest) -> HttpResponse:
    """Every contract, with its versions."""
    context = {"room": "owners", "now": database_now(), "contracts": _read(_visible(person(request))[:500])}
    return render(request, "owners/contracts.html", context)


@page
def contract(request: HttpRequest, name: str, version: str) -> HttpResponse:
    """One version: what it asks, who may, what follows, what proves it; and the file as its owner wrote it."""
    rows = _visible(person(request)).filter(name=plain(name), version=plain(version))
    slug = plain(request.GET.get("organization", ""))
    row = (rows.filter(organization__slug=slug) if slug else rows).first()
    if row is None:
        raise Http404
    (read,) = _read([row])
    others = _visible(person(request)).filter(name=name, organization=row.organization).exclude(pk=row.pk)
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
    }
    return render(request, "owners/contract.html", context)
