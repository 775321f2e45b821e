"""Counts what became of what was asked; all of it stays in the denominator, unknown and given up as well."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from journal.kinds import Kind
from journal.queries import tally
from proposals.models import ContractVersion
from tenancy.models import Organization

OTHER = ""  # a tool that no contract has: agents may ask for anything

# What became of a proposal, as the figures group it, in the order in which they are drawn.
ENDS = ("proven", "answered", "open", "unknown", "differs", "refused", "stopped")
_OF_STATE = {
    "confirmed": "proven",
    "diverged": "differs",
    "unknown": "unknown",
    "reopened": "unknown",
    "refused": "refused",
    "void": "stopped",
    "not_executed": "stopped",
    "answered": "answered",
    "awaiting_approval": "open",
    "changes_requested": "open",
    "authorized": "open",
    "ready": "open",
    "sending": "open",
    "accepted": "open",
}


@dataclass
class Spread:
    """Half were within `half`, and 99 of 100 within `nearly_all`; None while there is nothing to tell."""

    half: timedelta | None = None
    nearly_all: timedelta | None = None


@dataclass
class Figures:
    """One tool, or one version of its contract."""

    tool: str
    version: str = ""
    ends: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ENDS, 0))
    handed_over: int = 0
    doubted: int = 0  # of those handed over: an unknown at some time
    oldest_unknown: datetime | None = None
    to_decide: Spread = field(default_factory=Spread)
    to_prove: Spread = field(default_factory=Spread)
    acts: int = 0  # of people: signatures, other acts of review, conclusions
    refused: dict[str, int] = field(default_factory=dict)  # before there was a proposal, by code
    replays: int = 0

    @property
    def asked(self) -> int:
        """Every proposal."""
        return sum(self.ends.values())

    @property
    def attempts(self) -> int:
        """Every submission that was no replay."""
        return self.asked + sum(self.refused.values())

    @property
    def success(self) -> float | None:
        """The share of all that was asked whose effect is proven, or that was answered."""
        return (self.ends["proven"] + self.ends["answered"]) / self.asked if self.asked else None

    @property
    def doubt(self) -> float | None:
        """The share of the hand-overs whose outcome was unknown at some time."""
        return self.doubted / self.handed_over if self.handed_over else None

    def refusals(self, *codes: str) -> int:
        """How many were refused with one of the codes."""
        return sum(self.refused.get(code, 0) for code in codes)

    @property
    def invalid(self) -> float | None:
        """The share of the submissions whose arguments did not fit."""
        return self.refusals("invalid_arguments", "rule_violated") / self.attempts if self.attempts else None

    @property
    def denied(self) -> float | None:
        """The share of the submissions for which the right was missing."""
        return self.refusals("not_permitted", "target_not_available") / self.attempts if self.attempts else None

    @property
    def repeated(self) -> float | None:
        """The share of everything received that was a replay of something known."""
        received = self.attempts + self.replays
        return self.replays / received if received else None


@dataclass(frozen=True)
class Blocking:
    """What must never have happened, whatever the rates: public ids of the orders for which it did."""

    outside_scope: tuple[str, ...]
    invalid_approval: tuple[str, ...]
    duplicated: tuple[str, ...]

    @property
    def none(self) -> bool:
        """Whether nothing of the kind is known."""
        return not (self.outside_scope or self.invalid_approval or self.duplicated)


def by_version(organization: Organization, *, since: datetime) -> list[Figures]:
    """One entry for each contract version that something was asked under since then, by tool, oldest version first."""
    rows = _rows(_COUNTS, [organization.pk, since])
    spreads = {row["version_id"]: row for row in _rows(_SPREADS, [organization.pk, since])}
    names = {row.pk: row for row in ContractVersion.objects.filter(organization=organization)}
    found: dict[int, Figures] = {}
    for row in rows:
        contract = names[row["version_id"]]
        figures = found.setdefault(row["version_id"], Figures(contract.name, contract.version))
        _add(figures, row)
    for version_id, figures in found.items():
        _spread(figures, spreads.get(version_id, {}))
    order = {pk: (row.name, row.published_at) for pk, row in names.items()}
    return [found[pk] for pk in sorted(found, key=lambda pk: order[pk])]


def by_tool(organization: Organization, *, since: datetime) -> list[Figures]:
    """One entry for each tool, with what was refused before there was a proposal; tools nobody knows come last."""
    known = set(ContractVersion.objects.filter(organization=organization).values_list("name", flat=True))
    found: dict[str, Figures] = {}
    for row in _rows(_COUNTS_BY_TOOL, [organization.pk, since]):
        _add(found.setdefault(row["tool"], Figures(row["tool"])), row)
    for row in _rows(_SPREADS_BY_TOOL, [organization.pk, since]):
        _spread(found[row["tool"]], row)
    _refusals(found, organization, known, since=since)
    return sorted(found.values(), key=lambda figures: (figures.tool == OTHER, figures.tool))


def blocking(organization: Organization) -> Blocking:
    """Every order, of all time, for which something happened that rates never make good."""
    outside = _ids(_OUTSIDE_SCOPE, organization)
    return Blocking(outside, _ids(_INVALID_APPROVAL, organization), _ids(_DUPLICATED, organization))


def _refusals(found: dict[str, Figures], organization: Organization, known: set[str], *, since: datetime) -> None:
    kinds = [str(Kind.SUBMISSION_REFUSED), str(Kind.SUBMISSION_REPLAYED)]
    told = tally(organization.pk, kinds=kinds, since=since)
    tools = _tools_of(subject for kind, _, subject, _ in told if kind == Kind.SUBMISSION_REPLAYED)
    for kind, code, subject, times in told:
        tool = tools.get(subject, OTHER) if kind == Kind.SUBMISSION_REPLAYED else subject if subject in known else OTHER
        figures = found.setdefault(tool, Figures(tool))
        if kind == Kind.SUBMISSION_REPLAYED:
            figures.replays += times
        else:
            figures.refused[code] = figures.refused.get(code, 0) + times


def _tools_of(public_ids: Iterable[str]) -> dict[str, str]:
    numbers = [int(one[2:]) for one in public_ids if one.startswith("P-")]
    rows = _rows("SELECT id, tool FROM proposals_proposal WHERE id = ANY(%s)", [numbers])
    return {f"P-{row['id']}": row["tool"] for row in rows}


def _add(figures: Figures, row: dict[str, Any]) -> None:
    figures.ends[_OF_STATE.get(row["state"], "stopped")] += row["n"]
    figures.handed_over += row["handed_over"]
    figures.doubted += row["doubted"]
    figures.acts += row["acts"]
    known = [moment for moment in (figures.oldest_unknown, row["oldest_unknown"]) if moment]
    figures.oldest_unknown = min(known, default=None)


def _spread(figures: Figures, row: dict[str, Any]) -> None:
    figures.to_decide = Spread(*_both(row.get("decided")))
    figures.to_prove = Spread(*_both(row.get("proven")))


def _both(seconds: list[float] | None) -> tuple[timedelta | None, timedelta | None]:
    return (timedelta(seconds=seconds[0]), timedelta(seconds=seconds[1])) if seconds else (None, None)


def _ids(sql: str, organization: Organization) -> tuple[str, ...]:
    return tuple(f"I-{row['id']}" for row in _rows(sql, [organization.pk]))


def _rows(sql: str, params: list[Any]) -> list[dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        names = [column.name for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


_ASKED = """
    FROM proposals_proposal p
    JOIN proposals_revision r ON r.proposal_id = p.id AND r.number = p.current_revision
    LEFT JOIN intents_intent i ON i.revision_id = r.id
    WHERE p.organization_id = %s AND p.created_at >= %s
"""
_COLUMNS = """
    CASE WHEN p.state = 'authorized' THEN coalesce(i.state, 'authorized') ELSE p.state END AS state,
    count(*) AS n,
    count(i.handed_over_at) AS handed_over,
    count(*) FILTER (WHERE EXISTS (SELECT 1 FROM intents_case c WHERE c.intent_id = i.id AND c.kind = 'unknown'))
        AS doubted,
    min(i.handed_over_at) FILTER (WHERE i.state IN ('unknown', 'reopened')) AS oldest_unknown,
    sum((SELECT count(*) FROM approvals_signature s JOIN proposals_revision v ON v.id = s.revision_id
          WHERE v.proposal_id = p.id)
      + (SELECT count(*) FROM approvals_act a WHERE a.proposal_id = p.id)
      + (SELECT count(*) FROM intents_conclusion o JOIN intents_case c ON c.id = o.case_id
          WHERE c.intent_id = i.id))::int AS acts
"""
_COUNTS = f"SELECT p.contract_id AS version_id, {_COLUMNS} {_ASKED} GROUP BY 1, 2"
_COUNTS_BY_TOOL = f"SELECT p.tool, {_COLUMNS} {_ASKED} GROUP BY 1, 2"
# From asking to the first decision of people; from the hand-over to the proof.
_TIMES = """
    percentile_cont(ARRAY[0.5, 0.99]) WITHIN GROUP (ORDER BY extract(epoch FROM d.at - p.created_at))
        FILTER (WHERE d.at IS NOT NULL) AS decided,
    percentile_cont(ARRAY[0.5, 0.99]) WITHIN GROUP (ORDER BY extract(epoch FROM i.ended_at - i.handed_over_at))
        FILTER (WHERE i.state = 'confirmed') AS proven
"""
_DECIDED = _ASKED.replace(
    "WHERE",
    """LEFT JOIN LATERAL (
        SELECT least((SELECT min(z.granted_at) FROM approvals_authorization z WHERE z.revision_id = r.id),
                     (SELECT min(a.at) FROM approvals_act a
                       WHERE a.proposal_id = p.id AND a.kind IN ('refusal', 'change_request'))) AS at) d ON true
    WHERE""",
)
_SPREADS = f"SELECT p.contract_id AS version_id, {_TIMES} {_DECIDED} GROUP BY 1"
_SPREADS_BY_TOOL = f"SELECT p.tool, {_TIMES} {_DECIDED} GROUP BY 1"
_OUTSIDE_SCOPE = """
    SELECT i.id FROM intents_intent i JOIN proposals_revision r ON r.id = i.revision_id
    JOIN proposals_proposal p ON p.id = r.proposal_id JOIN tenancy_scope s ON s.id = p.scope_id
    WHERE i.organization_id = %s AND i.handed_over_at IS NOT NULL AND r.observation ->> 'scope' <> s.code
    ORDER BY i.id LIMIT 100
"""
_INVALID_APPROVAL = """
    SELECT DISTINCT i.id FROM intents_attempt a JOIN intents_intent i ON i.id = a.intent_id
    JOIN approvals_authorization z ON z.id = a.authorization_id
    WHERE i.organization_id = %s
      AND (z.revision_id <> i.revision_id OR a.marked_at >= z.expires_at OR a.marked_at > z.voided_at)
    ORDER BY i.id LIMIT 100
"""
_DUPLICATED = """
    SELECT DISTINCT i.id FROM intents_evidence e JOIN intents_intent i ON i.id = e.intent_id
    WHERE i.organization_id = %s AND e.because = 'duplicate' ORDER BY i.id LIMIT 100
"""
