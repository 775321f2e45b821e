"""What a contract version needs before it is active without a waiver, and activating it once all of it is there."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from intents.drills import Drill, latest
from journal.clock import now as database_now
from proposals import publishing
from proposals.contracts import Contract, contract_of
from proposals.models import ContractVersion
from rehearsals.models import Capacity, Rehearsal
from systems.adapters.registry import systems
from tenancy.models import Organization, RoleGrant, User


class NotCleared(publishing.CannotActivate):
    """Something is missing; `missing` says what, a sentence each."""

    def __init__(self, missing: list[str]) -> None:
        super().__init__(" ".join(missing))
        self.missing = missing


@dataclass(frozen=True)
class Need:
    """One thing that is needed; `sentence` says what is missing, or what is there. `at` is when it came about."""

    key: str
    met: bool
    sentence: str
    at: datetime | None = None
    rehearsal: Rehearsal | None = None


_LABELS: dict[str, Promise] = {
    "rehearsal": _("A passing rehearsal"),
    "unknown": _("A drill: an unknown outcome taken to its end"),
    "stop": _("A drill: a stop of admissions"),
    "role": _("Somebody to establish outcomes"),
    "capacity": _("A declared capacity"),
}


def label(need: Need) -> str:
    """What is needed, in a few words."""
    return str(_LABELS[need.key])


def needs(version: ContractVersion) -> list[Need]:
    """Everything the version needs, whether it is there or not. A contract without effect is only rehearsed."""
    contract = contract_of(version)
    found = [_rehearsal(version, contract)]
    if contract.effect == "none":
        return found
    drills = latest(organization=version.organization, tool=version.name)
    found += [_drill(Drill.Kind.UNKNOWN, drills), _drill(Drill.Kind.STOP, drills)]
    return [*found, _role(version.organization, contract), _capacity(version.organization, contract)]


def missing(version: ContractVersion) -> list[str]:
    """A sentence for each thing that is missing."""
    return [need.sentence for need in needs(version) if not need.met]


def activate(*, organization: Organization, name: str, version: str, by: User, waiver: str = "") -> ContractVersion:
    """The version is the active one; without anything missing it is so without a waiver, even if it had one before.

    With a waiver it is active in spite of what is missing, and the waiver is shown wherever the contract is.
    Raises NotCleared where something is missing and no waiver was given, and what publishing.activate raises.
    """
    rows = ContractVersion.objects.filter(organization=organization, name=name, version=version)
    row = rows.select_related("organization").first()
    if row is None:
        raise publishing.UnknownVersion(publishing.UnknownVersion.__doc__)
    lacking = missing(row)
    if lacking and not waiver.strip():
        raise NotCleared(lacking)
    if row.state == ContractVersion.State.ACTIVE:
        return publishing.change_waiver(row, by=by, waiver=waiver.strip() if lacking else "")
    return publishing.activate(
        organization=organization, name=name, version=version, by=by, waiver=waiver, cleared=not lacking
    )


def declare_capacity(*, organization: Organization, role: str, per_day: int, by: User, words: str = "") -> Capacity:
    """So many unknown outcomes a day can the role take to their end, somebody who owns contracts says.

    Raises publishing.NotAnOwner, ValueError for a number below one or a role that nobody may have.
    """
    publishing.owned_organization(by, organization)
    if per_day < 1 or per_day > MOST:
        raise ValueError("Give a whole number of outcomes a day, at least 1.")
    return Capacity.objects.create(
        organization=organization,
        role=role,
        per_day=per_day,
        words=words.strip()[:4000],
        declared_by=by,
        declared_at=database_now(),
    )


MOST = 1_000_000


def _rehearsal(version: ContractVersion, contract: Contract) -> Need:
    """The last one that has passed, of this very digest and of the system's configuration as it is now."""
    config = systems().get(contract.execution.system)
    rows = Rehearsal.objects.filter(contract=version, contract_digest=version.digest)
    passed = rows.filter(verdict=Rehearsal.Verdict.PASSED, system=contract.execution.system).order_by("-pk")
    row = passed.filter(system_digest=config.digest if config else "").first()
    if row is not None:
        words = _now("%(rehearsal)s passed against %(system)s.")
        sentence = words % {"rehearsal": row.public_id, "system": row.system}
        return Need("rehearsal", True, sentence, row.ended_at, row)
    if passed.exists():
        words = _now("It has passed a rehearsal, but the configuration of %(system)s has changed since.")
    else:
        words = _now("No rehearsal of this version against %(system)s has passed.")
    return Need("rehearsal", False, words % {"system": contract.execution.system})


def _drill(kind: Drill.Kind, drills: dict[str, Drill | None]) -> Need:
    drill = drills.get(kind)
    if drill is not None:
        people = ", ".join(person.shown_name for person in drill.people.all())
        return Need(kind, True, people, drill.done_at)
    if kind == Drill.Kind.UNKNOWN:
        return Need(kind, False, _now("Nobody has recorded a drill in which an unknown outcome was taken to its end."))
    return Need(kind, False, _now("Nobody has recorded a drill in which admissions were stopped and resumed."))


def _role(organization: Organization, contract: Contract) -> Need:
    role = contract.reconciliation.escalate_to
    holders = RoleGrant.objects.filter(organization=organization, role=role, ended_at__isnull=True)
    people = holders.filter(person__is_active=True).values("person").distinct().count()
    wanted = 2 if contract.reconciliation.second_person else 1
    if people >= wanted:
        return Need("role", True, f"{role}: {people}")
    if wanted == 2:
        words = _now("Two people must hold the role %(role)s, which establishes outcomes: one concludes, one agrees.")
    else:
        words = _now("Nobody holds the role %(role)s, which establishes outcomes.")
    return Need("role", False, words % {"role": role})


def _capacity(organization: Organization, contract: Contract) -> Need:
    role = contract.reconciliation.escalate_to
    row = Capacity.objects.filter(organization=organization, role=role).order_by("-pk").first()
    if row is None:
        words = _now("Nobody has declared how many unknown outcomes a day %(role)s can take to their end.")
        return Need("capacity", False, words % {"role": role})
    words = _now("%(role)s: %(number)s unknown outcomes a day, declared by %(person)s.")
    facts = {"role": role, "number": row.per_day, "person": row.declared_by.shown_name}
    return Need("capacity", True, words % facts, row.declared_at)
