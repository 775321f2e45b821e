"""Records a drill: only what the ledger and the journal show to have happened, and only with the people who did it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.dateparse import parse_datetime
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from intents.caseload import MAX_WORDS
from intents.drills import Drill
from intents.models import Case, Conclusion, Intent
from journal.clock import now as database_now
from journal.kinds import Kind
from journal.queries import Told, entries_of_organization
from journal.recording import Actor, record, spelt
from proposals.contracts import contract_of
from proposals.models import ContractVersion
from tenancy.models import Organization, RoleGrant, User

SEARCHED = 400  # entries of the journal in which a stop is looked for, the newest first

SENTENCES: dict[str, Promise] = {
    "not_yours": _("Recording drills takes the role that establishes outcomes, or that of an owner or an operator."),
    "unknown_tool": _("There is no such tool in this organization."),
    "unknown_kind": _("Choose what was practised."),
    "people_missing": _("Name who did it: the people who practised, at least one."),
    "not_there": _("Somebody you named holds no role in this organization."),
    "words_missing": _("Say what was practised and what you noticed, in a few words."),
    "words_too_long": _("Please keep it under 4,000 characters."),
    "no_such_unknown": _("Name an unknown outcome of this tool that a person took to its end, such as I-42."),
    "others_did_it": _("Name at least one of those who took it to its end."),
    "no_such_stop": _("The journal shows no stop that held this tool back and was lifted again."),
    "recorded_before": _("This was recorded as a drill before."),
}


class NotRecorded(Exception):
    """The drill was not recorded: `code` is stable, `sentence` for the person."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code
        self.sentence: Promise = SENTENCES[code]


@dataclass(frozen=True)
class _Proof:
    done_at: datetime
    intent: Intent | None = None
    subject: str = ""
    name: str = ""
    stopped_at: datetime | None = None


def may_record(person: User, organization: Organization) -> bool:
    """Whether the person holds, anywhere in the organization, a role that practises."""
    named = {
        contract_of(version).reconciliation.escalate_to
        for version in ContractVersion.objects.filter(organization=organization)
    }
    return _roles_in(organization, [person]).filter(role__in={"owner", "operator", *named}).exists()


def record_drill(
    *,
    person: User,
    organization: Organization,
    tool: str,
    kind: str,
    people: Iterable[User],
    words: str,
    intent_id: int | None = None,
) -> Drill:
    """The drill stands in the ledger and in the journal, dated by what it names, with the people who did it.

    An `unknown` names the intent that a person took to its end; a `stop` is found in the journal, the last one that
    held the tool back and was lifted again.

    Raises:
        NotRecorded
    """
    named = list({one.pk: one for one in people}.values())
    if not may_record(person, organization):
        raise NotRecorded("not_yours")
    version = ContractVersion.objects.filter(organization=organization, name=tool).order_by("-pk").first()
    if version is None:
        raise NotRecorded("unknown_tool")
    _require_said(organization, named, words)
    if kind == Drill.Kind.UNKNOWN:
        proof = _unknown(organization, tool, intent_id, named)
    elif kind == Drill.Kind.STOP:
        proof = _stop(organization, tool, contract_of(version).execution.system)
    else:
        raise NotRecorded("unknown_kind")
    try:
        return _write(organization, tool, kind, proof, people=named, words=words.strip(), by=person)
    except IntegrityError as error:
        raise NotRecorded("recorded_before") from error


def _roles_in(organization: Organization, people: Iterable[User]) -> QuerySet[RoleGrant]:
    return RoleGrant.objects.filter(
        organization=organization, person__in=[one.pk for one in people], person__is_active=True, ended_at__isnull=True
    )


def _require_said(organization: Organization, people: list[User], words: str) -> None:
    if not people:
        raise NotRecorded("people_missing")
    if _roles_in(organization, people).values("person").distinct().count() != len(people):
        raise NotRecorded("not_there")
    if not words.strip():
        raise NotRecorded("words_missing")
    if len(words) > MAX_WORDS:
        raise NotRecorded("words_too_long")


def _unknown(organization: Organization, tool: str, intent_id: int | None, people: list[User]) -> _Proof:
    cases = Case.objects.filter(
        intent=intent_id, intent__organization=organization, intent__tool=tool, kind=Case.Kind.UNKNOWN
    )
    case = cases.filter(closed_at__isnull=False, owner__isnull=False).order_by("-closed_at").first()
    if case is None or case.closed_at is None:
        raise NotRecorded("no_such_unknown")
    concluded = Conclusion.objects.filter(case=case).values_list("person", "seconded_by")
    took_part = {case.owner_id, *(pk for pair in concluded for pk in pair if pk)}
    if not took_part & {one.pk for one in people}:
        raise NotRecorded("others_did_it")
    return _Proof(case.closed_at, intent=case.intent)


def _stop(organization: Organization, tool: str, system: str) -> _Proof:
    held_back = {("organization", ""), ("tool", tool), ("system", system)}
    lifted: dict[tuple[str, str], datetime] = {}
    kinds = [str(Kind.ADMISSIONS_STOPPED), str(Kind.ADMISSIONS_RESUMED)]
    for told in entries_of_organization(organization.pk, kinds=kinds, limit=SEARCHED):  # the newest first
        switch = (str(told.subjects.get("subject")), str(told.subjects.get("name") or ""))
        if switch not in held_back:
            continue
        if told.kind == Kind.ADMISSIONS_RESUMED:
            lifted[switch] = told.at
        elif (ended := lifted.pop(switch, None) or _over(told)) is not None:
            return _Proof(ended, subject=switch[0], name=switch[1], stopped_at=told.at)
    raise NotRecorded("no_such_stop")


def _over(told: Told) -> datetime | None:
    """When a stop that had an end of its own was over, if that is past."""
    until = parse_datetime(told.facts.get("until") or "")
    return until if until and until <= database_now() else None


def _write(
    organization: Organization, tool: str, kind: str, proof: _Proof, *, people: list[User], words: str, by: User
) -> Drill:
    with transaction.atomic(durable=True):
        now = database_now()
        drill = Drill.objects.create(
            organization=organization,
            tool=tool,
            kind=kind,
            done_at=proof.done_at,
            words=words,
            intent=proof.intent,
            subject=proof.subject,
            name=proof.name,
            stopped_at=proof.stopped_at,
            recorded_by=by,
            recorded_at=now,
        )
        drill.people.set(people)
        facts = {
            "drill": drill.pk,
            "practised": kind,
            "done_at": spelt(proof.done_at),
            "people": sorted(one.get_username() for one in people),
        }
        subjects = {"tool": tool, "intent": proof.intent.public_id if proof.intent else None}
        record(
            kind=Kind.DRILL_RECORDED,
            actor=Actor.person(by),
            organization=organization.pk,
            now=now,
            subjects=subjects,
            facts=facts,
            personal={"words": words},
        )
    return drill
