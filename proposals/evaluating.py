"""Evaluates recorded answers of models against a data set, and keeps the scores, so that versions can be compared."""

from dataclasses import dataclass
from typing import Any

from django.db import transaction

from journal.clock import now as database_now
from journal.digests import sha256
from journal.recording import spelt
from proposals.contracts import Contract, contract_of
from proposals.models import ContractVersion, SelectionRun
from proposals.selection import Regression, judge, regressions, report, results
from proposals.selection_files import read_answers, read_cases
from tenancy.models import Organization

_RUNS = 20  # how far back a run is compared and its history told


class NoOrganization(LookupError):
    """No organization offers any tool of the data set."""


@dataclass(frozen=True)
class Evaluated:
    """What came of it: the scores, the cases that were answered better before, and the scores of earlier runs.

    `history` is by contract version, oldest first: when, how many answers, how many right.
    """

    organization: Organization
    report: dict[str, Any]
    regressions: list[Regression]
    history: dict[str, list[dict[str, Any]]]


def evaluate(
    *,
    dataset: bytes,
    answers: bytes,
    dataset_name: str,
    answers_name: str,
    organization: Organization | None = None,
    keep: bool = True,
) -> Evaluated:
    """The answers are scored against the data set and the contracts of the organization, and the run is kept.

    Without an organization, the one that offers most of the tools in the data set. A run with the same files and the
    same outcome as the last one is not kept twice. Raises proposals.selection_files.BadLine, NoOrganization.
    """
    cases = read_cases(dataset, dataset_name)
    told = read_answers(answers, answers_name, cases)
    owner = organization or _offering({wanted.tool for case in cases.values() for wanted in case.wanted})
    contracts = _Contracts(owner)
    judged = [judge(cases[answer.case], answer, contracts) for answer in told]
    scores, kept = report(judged), results(judged)
    runs = list(SelectionRun.objects.filter(organization=owner, dataset=dataset_name[:200]).order_by("-id")[:_RUNS])
    if runs and (runs[0].answers_digest, runs[0].results) == (sha256(answers), kept):
        runs = runs[1:]
    elif keep:
        _keep(owner, dataset_name, dataset=dataset, answers=answers, report=scores, results=kept)
    earlier = runs[::-1]
    found = regressions([*(run.results for run in earlier), kept])
    return Evaluated(owner, scores, found, _history(earlier))


def _keep(
    owner: Organization, name: str, *, dataset: bytes, answers: bytes, report: dict[str, Any], results: list[Any]
) -> None:
    with transaction.atomic(durable=True):
        SelectionRun.objects.create(
            organization=owner,
            dataset=name[:200],
            dataset_digest=sha256(dataset),
            answers_digest=sha256(answers),
            at=database_now(),
            report=report,
            results=results,
        )


def _history(runs: list[SelectionRun]) -> dict[str, list[dict[str, Any]]]:
    history: dict[str, list[dict[str, Any]]] = {}
    for run in runs:
        for contract, score in run.report["by_contract"].items():
            one = {"at": spelt(run.at), "answers": score["answers"], "right": score["right"]}
            history.setdefault(contract, []).append(one)
    return history


def runs_of(version: ContractVersion, *, limit: int = 10) -> list[tuple[SelectionRun, dict[str, Any]]]:
    """The newest runs in which models were shown this version, each with the version's score in it."""
    public_id = f"{version.name}@{version.version}"
    runs = SelectionRun.objects.filter(
        organization=version.organization, report__by_contract__has_key=public_id
    ).order_by("-id")[:limit]
    return [(run, run.report["by_contract"][public_id]) for run in runs]


class _Contracts:
    """The contracts of an organization by tool and version, each read once."""

    def __init__(self, organization: Organization) -> None:
        rows = ContractVersion.objects.filter(organization=organization)
        self._versions = {(row.name, row.version): row for row in rows}
        self._active = {row.name: row for row in rows if row.state == ContractVersion.State.ACTIVE}

    def __call__(self, tool: str, version: str | None) -> Contract | None:
        row = self._active.get(tool) if version is None else self._versions.get((tool, version))
        return contract_of(row) if row is not None else None


def _offering(tools: set[str]) -> Organization:
    rows = ContractVersion.objects.filter(name__in=tools, state=ContractVersion.State.ACTIVE)
    offered: dict[int, int] = {}
    for organization in rows.order_by("organization").values_list("organization", flat=True):
        offered[organization] = offered.get(organization, 0) + 1
    if not offered:
        raise NoOrganization(NoOrganization.__doc__)
    return Organization.objects.get(pk=max(offered, key=lambda pk: (offered[pk], -pk)))
