"""The desk's list: the cases a person may read, by consequence and age, with what looks like one event folded up."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Case as When_
from django.db.models import Exists, IntegerField, OuterRef, Q, QuerySet, Value, When

from intents.caseload import intent_id_of
from intents.ladder import Rung, climb, highest
from intents.models import Case, Evidence, Intent
from intents.outages import Doubtful, Outage, outages
from journal.clock import now as database_now
from proposals.contracts import Contract, contract_of
from proposals.models import ContractVersion
from tenancy.models import RoleGrant, User

READERS = ("auditor", "operator")
PAGE = 50
LADDER = ("source", "verdict", "because", "at", "observed_at", "digest", "rules")
WEIGHT = {"high": 0, "moderate": 1, "low": 2}


@dataclass(frozen=True)
class DeskRow:
    """One open case as the desk lists it."""

    case: Case
    intent: Intent
    contract: Contract
    age: timedelta
    mine: bool
    rung: str  # how far the proof reaches

    @property
    def proposal_id(self) -> str:
        """`P-42`."""
        return f"P-{self.intent.revision.proposal_id}"


@dataclass(frozen=True)
class Board:
    """One page of the desk. `outages` are folded: their cases are not among `rows` but where one of them is `opened`.

    `total` and `mine` count all open cases; `matching` those of this view, of which `rows` begin at `offset`.
    """

    rows: list[DeskRow]
    outages: list[Outage]
    opened: Outage | None
    total: int
    mine: int
    matching: int
    offset: int

    @property
    def first(self) -> int:
        """The place of the first row, counted from one."""
        return self.offset + 1

    @property
    def last(self) -> int:
        """The place of the last row."""
        return self.offset + len(self.rows)

    @property
    def next_offset(self) -> int | None:
        """Where the next page begins, if there is one."""
        after = self.offset + PAGE
        return after if after < self.matching else None

    @property
    def previous_offset(self) -> int | None:
        """Where the page before begins, if there is one."""
        return max(self.offset - PAGE, 0) if self.offset else None


def visible_cases(person: User) -> QuerySet[Case]:
    """The cases the person may read: by the case's role in the proposal's scope, or as reader of all."""
    grants = RoleGrant.objects.filter(
        Q(scope__isnull=True) | Q(scope=OuterRef("intent__revision__proposal__scope")),
        organization=OuterRef("intent__organization"),
        person=person,
        person__is_active=True,
        ended_at__isnull=True,
    )
    return Case.objects.filter(Exists(grants.filter(Q(role=OuterRef("role")) | Q(role__in=READERS))))


def open_cases(person: User) -> QuerySet[Case]:
    """The open ones among them."""
    return visible_cases(person).filter(closed_at__isnull=True)


def count_open(person: User) -> int:
    """How many open cases the person may read."""
    return open_cases(person).count()


def desk(person: User, *, now: datetime | None = None) -> list[DeskRow]:
    """The first page of all open cases, by consequence and then by age."""
    return _rows(_ordered(open_cases(person))[:PAGE], person=person, now=now or database_now())


def board(
    person: User, *, now: datetime, mine: bool = False, outage: str = "", search: str = "", offset: int = 0
) -> Board:
    """One page of the desk, by consequence and then by age.

    `mine` leaves what others work on, or nobody; `outage` is the key of a folded event that is to be opened; `search`
    is a number `I-42`, a target or a reference, exactly.
    """
    cases = open_cases(person)
    folded = outages(_doubtful(cases))
    opened = next((one for one in folded if one.is_named(outage)), None) if outage else None
    shown = _shown(cases, person, mine=mine, search=search, opened=opened, folded=folded)
    matching = shown.count()
    return Board(
        rows=_rows(_ordered(shown)[offset : offset + PAGE], person=person, now=now),
        outages=[] if mine or search or opened else folded,
        opened=opened,
        total=cases.count(),
        mine=cases.filter(owner=person).count(),
        matching=matching,
        offset=offset,
    )


def _shown(
    cases: QuerySet[Case], person: User, *, mine: bool, search: str, opened: Outage | None, folded: list[Outage]
) -> QuerySet[Case]:
    if mine:
        return cases.filter(owner=person)
    if search:
        return cases.filter(_named(search))
    if opened:
        return cases.filter(pk__in=opened.cases)
    return cases.exclude(pk__in=frozenset().union(*(one.cases for one in folded)))


def _named(search: str) -> Q:
    """Exact, each of them: `R-1` is not `R-10`."""
    named = Q(intent__target=search)
    with suppress(Intent.DoesNotExist):
        named |= Q(intent=intent_id_of(search.upper()))
    hexadecimal = search.lower().replace("-", "")
    if len(hexadecimal) == 32 and all(letter in "0123456789abcdef" for letter in hexadecimal):
        named |= Q(intent__reference=hexadecimal)
    return named


def _doubtful(cases: QuerySet[Case]) -> Iterable[Doubtful]:
    rows = cases.filter(kind=Case.Kind.UNKNOWN)
    told = rows.values_list("pk", "intent__system", "cause", "opened_at", "owner").order_by()
    return [Doubtful(pk, system, cause, at, owner is not None) for pk, system, cause, at, owner in told]


def _ordered(cases: QuerySet[Case]) -> QuerySet[Case]:
    """The consequence stands in the contract's document: few versions, so they are weighed here and sorted there."""
    named = cases.values("intent__revision__contract").distinct().order_by()
    weights = [
        When(intent__revision__contract=version.pk, then=Value(WEIGHT[contract_of(version).consequence_level]))
        for version in ContractVersion.objects.filter(pk__in=named)
    ]
    weight = When_(*weights, default=Value(len(WEIGHT)), output_field=IntegerField())
    rows = cases.select_related("owner", "intent__revision__contract", "intent__revision__proposal__scope")
    return rows.order_by(weight, "opened_at", "pk")


def _rows(cases: QuerySet[Case], *, person: User, now: datetime) -> list[DeskRow]:
    found = list(cases)
    seen: dict[int, list[Evidence]] = {}
    for one in Evidence.objects.filter(intent__in=[case.intent_id for case in found]).only(*LADDER, "intent"):
        seen.setdefault(one.intent_id, []).append(one)
    return [_row(case, seen.get(case.intent_id, []), person=person, now=now) for case in found]


def _row(case: Case, seen: list[Evidence], *, person: User, now: datetime) -> DeskRow:
    contract = contract_of(case.intent.revision.contract)
    rung = highest(climb((), seen)) or (Rung.HANDED_OVER if case.intent.handed_over_at else "")
    return DeskRow(case, case.intent, contract, now - case.opened_at, case.owner_id == person.pk, rung)
