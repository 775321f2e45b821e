"""Reads for the approver's screens. Every query carries the person's rights in itself: what is foreign is not found."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Case, Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Value, When
from django.http import Http404

from approvals.models import Act, Signature
from intents.models import Intent
from journal.clock import now as database_now
from proposals.contracts import Contract, contract_of
from proposals.models import ContractVersion, Proposal, Revision
from tenancy.access import roles_of
from tenancy.models import RoleGrant, User

TABS = ("decide", "mine", "expiring", "decided")
PAGE = 50
_SOON = timedelta(hours=1)
_READERS = frozenset({"owner", "auditor", "operator"})
_LEVELS = {"high": 0, "moderate": 1, "low": 2}
_MAX_ID = 2**63 - 1
_NUMBER = re.compile(r"[1-9][0-9]{0,18}", re.ASCII)  # one spelling of each; 007 is nobody


@dataclass(frozen=True)
class Row:
    """One line of the inbox."""

    proposal: Proposal
    revision: Revision
    contract: Contract
    signed: int
    waits_for: int | None
    looks_like: int | None
    decided: str = ""
    decided_at: datetime | None = None

    @property
    def level(self) -> str:
        """low, moderate, high."""
        return self.contract.consequence_level


def number_in(public_id: str, letter: str) -> int:
    """The row's number in `P-42`; Http404 when it is no such name."""
    head, dash, digits = public_id.partition("-")
    if head != letter or not dash or not _NUMBER.fullmatch(digits) or int(digits) > _MAX_ID:
        raise Http404
    return int(digits)


def proposal_of(person: User, public_id: str) -> Proposal:
    """The proposal, when this person may see it; the same Http404 when it is foreign and when it does not exist.

    The requester sees it, and whoever holds, in its scope or in the whole organization, a role that may ask for it,
    sign it or establish its outcome, or that audits.
    """
    row = (
        Proposal.objects.select_related("organization", "scope", "contract", "requester", "agent", "claimed_by")
        .filter(Q(requester=person) | Exists(_grants_at(person)), pk=number_in(public_id, "P"))
        .first()
    )
    if row is None or not _may_read(person, row):
        raise Http404
    return row


def _grants_at(person: User) -> QuerySet[RoleGrant]:
    return RoleGrant.objects.filter(
        Q(scope__isnull=True) | Q(scope=OuterRef("scope")),
        person=person,
        person__is_active=True,
        ended_at__isnull=True,
        organization=OuterRef("organization"),
    )


def _may_read(person: User, proposal: Proposal) -> bool:
    if proposal.requester_id == person.pk:
        return True
    contract = contract_of(proposal.contract)
    roles = {*contract.policy.requester_roles, *contract.policy.approver_roles, contract.reconciliation.escalate_to}
    held = roles_of(person, organization=proposal.organization, scope=proposal.scope)
    return bool(held & (roles | _READERS | {"support"}))


def revision_of(proposal: Proposal, number: int | None = None) -> Revision:
    """The revision with that number, by default the current one."""
    wanted = proposal.current_revision if number is None else number
    row = Revision.objects.select_related("contract").filter(proposal=proposal, number=wanted).first()
    if row is None:
        raise Http404
    row.proposal = proposal
    return row


def signature_of(person: User, public_id: str) -> Signature:
    """A receipt's signature, seen by whoever may see its proposal."""
    row = (
        Signature.objects.select_related("person", "revision__proposal__organization", "revision__contract")
        .filter(pk=number_in(public_id, "A"))
        .first()
    )
    if row is None:
        raise Http404
    row.revision.proposal = proposal_of(person, row.revision.proposal.public_id)
    return row


def _held(person: User) -> dict[int, list[tuple[int | None, str]]]:
    held: dict[int, list[tuple[int | None, str]]] = defaultdict(list)
    rows = RoleGrant.objects.filter(person=person, person__is_active=True, ended_at__isnull=True)
    for organization, scope, role in rows.values_list("organization_id", "scope_id", "role"):
        held[organization].append((scope, role))
    return held


def _may_sign(person: User) -> tuple[Q, dict[str, list[int]]]:
    """Which proposals the person's roles let them sign, and the contract versions by level of consequence."""
    held = _held(person)
    where = Q(pk__in=[])
    levels: dict[str, list[int]] = defaultdict(list)
    versions = ContractVersion.objects.filter(organization__in=held, state__in=["active", "retired"])
    for version in versions:
        contract = contract_of(version)
        levels[contract.consequence_level].append(version.pk)
        scopes = {scope for scope, role in held[version.organization_id] if role in contract.policy.approver_roles}
        if None in scopes:
            where |= Q(contract=version)
        elif scopes:
            where |= Q(contract=version, scope__in=scopes)
    return where, levels


def to_decide(person: User, *, now: datetime) -> QuerySet[Proposal]:
    """What waits for this person: open, in time, signable by their roles, not their own, not yet signed by them."""
    where, levels = _may_sign(person)
    fresh = Q(state=Proposal.State.AWAITING_APPROVAL)
    again = Q(
        Exists(
            Revision.objects.filter(
                proposal=OuterRef("pk"), number=OuterRef("current_revision"), intent__state="reopened"
            )
        )
    )
    mine = Signature.objects.filter(
        revision__proposal=OuterRef("pk"),
        revision__number=OuterRef("current_revision"),
        person=person,
        revoked_at__isnull=True,
        expires_at__gt=now,
    )
    whens = [When(contract__in=ids, then=Value(_LEVELS[level])) for level, ids in levels.items()]
    return (
        Proposal.objects.filter(where, fresh | again, review_expires_at__gt=now)
        .exclude(requester=person)
        .exclude(Exists(mine))
        .annotate(consequence=Case(*whens, default=Value(9), output_field=IntegerField()))
        .order_by("consequence", "review_expires_at", "pk")
    )


def count_to_decide(person: User) -> int:
    """How many wait for this person."""
    return to_decide(person, now=database_now()).count()


def counts(person: User, *, now: datetime) -> dict[str, int]:
    """How many lines each tab of the inbox has; the decided ones are not counted."""
    waiting = to_decide(person, now=now)
    return waiting.order_by().aggregate(
        decide=Count("pk", distinct=True),
        mine=Count("pk", filter=Q(claimed_by=person), distinct=True),
        expiring=Count("pk", filter=Q(review_expires_at__lte=now + _SOON), distinct=True),
    )


def inbox(person: User, *, tab: str, now: datetime, search: str = "", offset: int = 0) -> list[Row]:
    """The lines of one tab, one more than a page when there are more."""
    if tab == "decided":
        return _decided_by(person, offset=offset)
    rows = to_decide(person, now=now)
    if tab == "mine":
        rows = rows.filter(claimed_by=person)
    elif tab == "expiring":
        rows = rows.filter(review_expires_at__lte=now + _SOON)
    if search:
        rows = rows.filter(_matches(search))
    return _lines(rows.distinct()[offset : offset + PAGE + 1], now=now)


def _matches(search: str) -> Q:
    text = search.replace("\x00", "")[:100]
    found = Q(tool__icontains=text) | Q(revisions__number=F("current_revision"), revisions__target__icontains=text)
    if text.upper().startswith("P-") and text[2:].isascii() and text[2:].isdigit() and int(text[2:]) <= _MAX_ID:
        found |= Q(pk=int(text[2:]))
    return found


def next_to_decide(person: User, *, now: datetime, apart_from: int) -> Proposal | None:
    """The most pressing one after this."""
    return to_decide(person, now=now).exclude(pk=apart_from).first()


def _lines(proposals: Iterable[Proposal], *, now: datetime) -> list[Row]:
    rows = list(proposals)
    current = Revision.objects.filter(
        proposal__in=[row.pk for row in rows], number=F("proposal__current_revision")
    ).select_related("contract", "proposal__agent", "proposal__requester", "proposal__claimed_by", "proposal__scope")
    revisions = {revision.proposal_id: revision for revision in current}
    signed = _signed([revision.pk for revision in revisions.values()], now=now)
    holders, alike = _holders(list(revisions.values())), _alike(list(revisions.values()))
    return [
        Row(
            proposal=revision.proposal,
            revision=revision,
            contract=contract_of(revision.contract),
            signed=signed.get(revision.pk, 0),
            waits_for=holders.get((row.organization_id, revision.target or "")),
            looks_like=alike.get(revision.pk),
        )
        for row in rows
        if (revision := revisions.get(row.pk))
    ]


def _signed(revisions: list[int], *, now: datetime) -> dict[int, int]:
    live = Signature.objects.filter(
        revision__in=revisions, revoked_at__isnull=True, expires_at__gt=now, authorization__isnull=True
    )
    return dict(live.values("revision").annotate(n=Count("person", distinct=True)).values_list("revision", "n"))


def _holders(revisions: list[Revision]) -> dict[tuple[int, str], int]:
    """The intent in doubt on each target, by organization and target."""
    targets = {revision.target for revision in revisions if revision.target}
    doubts = Intent.objects.filter(
        target__in=targets, fence_lifted_at__isnull=True, state__in=["sending", "accepted", "unknown", "reopened"]
    ).exclude(revision__in=[revision.pk for revision in revisions])
    return {(intent.organization_id, intent.target or ""): intent.pk for intent in doubts}


def _alike(revisions: list[Revision]) -> dict[int, int]:
    """For each revision, an older open proposal with the same meaning."""
    first: dict[tuple[int, str], int] = {}
    alike: dict[int, int] = {}
    for revision in sorted(revisions, key=lambda one: one.proposal_id):
        meaning = (revision.proposal.organization_id, revision.material_digest)
        if meaning in first:
            alike[revision.pk] = first[meaning]
        else:
            first[meaning] = revision.proposal_id
    return alike


def _decided_by(person: User, *, offset: int) -> list[Row]:
    """What the person signed or refused, newest first; at most 200, each only while they may still see it."""
    signed = Signature.objects.filter(person=person).order_by("-signed_at")[:200]
    acts = Act.objects.filter(person=person, kind__in=[Act.Kind.REFUSAL, Act.Kind.CHANGE_REQUEST]).order_by("-at")[:200]
    told = [(one.signed_at, "signed", one.revision_id) for one in signed] + [
        (one.at, one.kind, one.revision_id) for one in acts
    ]
    told = sorted(told, reverse=True)[offset : offset + PAGE + 1]
    revisions = (
        Revision.objects.select_related("contract", "proposal__agent", "proposal__requester", "proposal__scope")
        .select_related("proposal__organization", "proposal__contract", "proposal__claimed_by")
        .in_bulk([revision for _, _, revision in told])
    )
    return [
        Row(revisions[pk].proposal, revisions[pk], contract_of(revisions[pk].contract), 0, None, None, what, at)
        for at, what, pk in told
        if _may_read(person, revisions[pk].proposal)
    ]
