"""Reads contract files and published versions: beside the tools offered with them, and beside the version before."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from proposals.changes import Change
from proposals.contracts import Contract, contract_of, parse_contract, positions_of
from proposals.differences import changes
from proposals.findings import Finding, Severity
from proposals.linting import Neighbour, lint, neighbour
from proposals.models import ContractVersion
from systems.yamlfiles import FileError, Problem
from tenancy.models import Organization


@dataclass(frozen=True)
class Vetted:
    """A contract file that may be published, and the warnings its owner is shown, each with its line."""

    document: Mapping[str, Any]
    contract: Contract
    warnings: tuple[Problem, ...]


def vet(
    text: bytes | str, name: str, *, others: Iterable[Neighbour] = (), systems: Mapping[str, Any] | None = None
) -> Vetted:
    """The contract in `text`, fit to be published beside `others`; `systems` as in `parse_contract`.

    Raises systems.yamlfiles.FileError with every problem, those the linter calls errors included.
    """
    document, contract = parse_contract(text, name, systems=systems)
    found = lint(document, others)
    positions = positions_of(text, name)
    said = [(one.severity, positions.problem(one.path, one.sentence(), one.code)) for one in found]
    errors = [problem for severity, problem in said if severity == Severity.ERROR]
    if errors:
        raise FileError(*sorted(errors, key=lambda problem: (problem.line, problem.field)))
    return Vetted(document, contract, tuple(problem for _, problem in said))


def neighbours_in(organization: Organization) -> list[Neighbour]:
    """The tools that models are offered there now."""
    active = ContractVersion.objects.filter(organization=organization, state=ContractVersion.State.ACTIVE)
    return [neighbour(contract_of(version)) for version in active.order_by("name")]


def findings_of(version: ContractVersion) -> list[Finding]:
    """What the linter finds in a published version, beside the tools that are active in its organization now."""
    return lint(_document(version), neighbours_in(version.organization))


def changes_between(earlier: ContractVersion, later: ContractVersion) -> list[Change]:
    """What the later of two versions changes, in words."""
    return changes(_document(earlier), _document(later))


def active_before(version: ContractVersion) -> ContractVersion | None:
    """The version that this one replaces, or replaced: the active one of its name, else the last one active before."""
    others = ContractVersion.objects.filter(organization=version.organization, name=version.name).exclude(pk=version.pk)
    once = others.filter(activated_at__isnull=False)
    if version.activated_at is not None:
        once = once.filter(activated_at__lt=version.activated_at)
    return once.order_by("-activated_at", "-pk").first()


def _document(version: ContractVersion) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(bytes(version.canonical))
    return document
