"""Everything a case page shows, gathered once, so that the page itself decides nothing."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from approvals.cases import Case, live_signatures, open_round
from approvals.foreseeing import has_outlook
from approvals.models import Act, Signature
from approvals.policy import policy_version
from intents.ladder import Step
from intents.models import Intent, Recheck
from intents.queries import Standing, ladder, standing
from journal.clock import now as database_now
from journal.queries import entries_of
from proposals.arguments import defaults_not_given, parse
from proposals.contracts import Contract, contract_of, in_language
from proposals.models import Proposal, Revision
from tenancy.admissions import Stop, stopped
from tenancy.models import User
from web.formatting.telling import Line, lines
from web.formatting.values import spelt
from web.review import acts_open
from web.review.checks import Check, ledger
from web.review.differences import Change, changes

_FIRST = ". "


@dataclass(frozen=True)
class Fact:
    """One fact the agent says it consulted."""

    label: str
    value: Any
    source: str
    observed_at: datetime | None


@dataclass(frozen=True)
class Argument:
    """One argument as given, with the words the contract has for its name and value."""

    name: str
    label: str
    value: str
    words: str
    given: bool


@dataclass
class CaseFile:
    """A case as shown to one person, in one language, at one instant of the database's clock."""

    now: datetime
    language: str
    proposal: Proposal
    revision: Revision
    contract: Contract
    arguments: Mapping[str, Any]
    standing: Standing
    title: str
    consequence: str
    consequence_more: str
    handled_by: str
    reason: str
    reason_code: str
    observed_at: datetime | None
    shown: list[Argument]
    facts: list[Fact]
    checks: list[Check]
    signatures: list[Signature]
    live: list[Signature]
    acts: list[Act]
    journal: list[Line]
    is_current: bool
    round: int
    open: acts_open.Open
    previous: Revision | None = None
    changes: list[Change] = field(default_factory=list)
    sent_back: Act | None = None
    claimed_by_other: bool = False
    refused_before: Proposal | None = None
    old_refusal: Act | None = None
    recheck: Recheck | None = None

    @property
    def exact(self) -> str:
        """The canonical bytes of the arguments, as text."""
        return bytes(self.revision.arguments).decode()

    @property
    def read(self) -> str:
        """The same value, laid out for reading."""
        return json.dumps(self.arguments, ensure_ascii=False, indent=2, sort_keys=True)

    @property
    def seen(self) -> Mapping[str, Any]:
        """The target as the business system showed it at submission."""
        return self.revision.observation or {}

    @property
    def version(self) -> str:
        """The target's version, without the quotes of its JSON."""
        return (self.revision.target_version or "").strip('"')

    @property
    def stop(self) -> Stop | None:
        """What is stopped now, and keeps everybody from signing it."""
        organization, system = self.proposal.organization, self.contract.execution.system
        return stopped(organization=organization, tool=self.contract.name, system=system, now=self.now)

    @property
    def previewable(self) -> bool:
        """Whether the reader, who may decide it now, can ask the business system what it would do."""
        case = Case(self.proposal, self.revision, self.contract, self.arguments)
        return (self.open.sign or self.open.refuse) and has_outlook(case)

    @property
    def undecided(self) -> bool:
        """Whether it is still to be signed: what is shown will be sent, was not."""
        return self.is_current and self.standing.status == "awaiting_approval"

    @property
    def target_word(self) -> str:
        """The kind of target, with a capital: `Case file`."""
        words = self.contract.target_words(self.language)
        return words[:1].upper() + words[1:]

    @property
    def policy_version(self) -> str:
        """The policy that would be applied now."""
        return policy_version(self.contract)

    @property
    def ladder(self) -> tuple[Step, ...]:
        """How far the proof reaches; empty while nothing was handed over."""
        intent = Intent.objects.filter(revision=self.revision).first()
        return ladder(intent) if intent else ()

    @property
    def missing(self) -> int:
        """How many signatures are still needed."""
        return max(0, self.contract.policy.quorum - len({one.person_id for one in self.live}))

    def compare_with(self, before: Revision) -> None:
        """The file tells what changed since `before`, instead of since the revision just before."""
        said = _("suggestion")
        self.previous = before
        self.changes = changes(parse(before.arguments), self.arguments)
        self.changes += changes({said: before.suggestion}, {said: self.revision.suggestion})


def open_file(person: User, proposal: Proposal, *, number: int | None = None) -> CaseFile:
    """Gather the case for this person; `number` opens an older revision, to read only.

    The caller has checked that the person may see the proposal.
    """
    now, language = database_now(), (get_language() or "en")[:2]
    revision = _revision(proposal, number)
    contract, arguments = contract_of(revision.contract), parse(revision.arguments)
    case = Case(proposal, revision, contract, arguments)
    is_current = revision.number == proposal.current_revision
    round = open_round(case) or _last_round(revision)
    first, more = _split(contract.consequence_words(language))
    reason, code = _reason(contract, revision, arguments, language)
    stands = standing(proposal, language=language, now=now)
    file = CaseFile(
        now=now,
        language=language,
        proposal=proposal,
        revision=revision,
        contract=contract,
        arguments=arguments,
        standing=stands,
        title=contract.title_for(language, revision.target, arguments),
        consequence=first,
        consequence_more=more,
        handled_by=in_language(contract.execution.handled_by, language),
        reason=reason,
        reason_code=code,
        observed_at=_instant((revision.observation or {}).get("at")),
        shown=_shown(contract, arguments, language),
        facts=[_fact(fact) for fact in revision.facts],
        checks=ledger(case, now=now),
        signatures=list(revision.signatures.select_related("person").order_by("pk")),
        live=live_signatures(case, round=round, now=now),
        acts=list(proposal.acts.select_related("person", "revision").order_by("pk")),
        journal=lines(list(reversed(entries_of(proposal.public_id)))),
        is_current=is_current,
        round=round,
        recheck=Recheck.objects.filter(intent__revision=revision).order_by("-pk").first(),
        open=acts_open.for_person(case, person, now=now, standing=stands, is_current=is_current),
        claimed_by_other=proposal.claimed_by_id not in (None, person.pk),
    )
    _compare(file)
    _recall(file)
    return file


def _revision(proposal: Proposal, number: int | None) -> Revision:
    wanted = proposal.current_revision if number is None else number
    revision = proposal.revisions.select_related("contract").get(number=wanted)
    revision.proposal = proposal
    return revision


def _last_round(revision: Revision) -> int:
    last = revision.authorizations.order_by("-round").first()
    return last.round if last else 1


def _compare(file: CaseFile) -> None:
    """The previous revision, what changed since, and who sent it back with which words."""
    if file.revision.number == 1:
        return
    before = file.proposal.revisions.get(number=file.revision.number - 1)
    file.compare_with(before)
    back = [act for act in file.acts if act.kind == Act.Kind.CHANGE_REQUEST and act.revision_id == before.pk]
    file.sent_back = back[-1] if back else None


def _recall(file: CaseFile) -> None:
    """The refused proposal that this one answers."""
    if not file.proposal.answers_proposal:
        return
    organization = file.proposal.organization_id
    file.refused_before = Proposal.objects.filter(pk=file.proposal.answers_proposal, organization=organization).first()
    if file.refused_before:
        refusals = file.refused_before.acts.filter(kind=Act.Kind.REFUSAL).select_related("person")
        file.old_refusal = refusals.order_by("-pk").first()


def _reason(contract: Contract, revision: Revision, arguments: Mapping[str, Any], language: str) -> tuple[str, str]:
    """The reason in words with its code; without a reason argument, the agent's suggestion stands for it."""
    if not contract.reason_argument:
        return "", ""
    code = str(arguments.get(contract.reason_argument, ""))
    words = contract.reason_words(language, code)
    return words, code if words != code else ""


def _shown(contract: Contract, arguments: Mapping[str, Any], language: str) -> list[Argument]:
    """Every argument with its words, and the defaults that apply although nobody gave them."""
    given = [_argument(contract, name, value, language, among=arguments) for name, value in arguments.items()]
    missing = defaults_not_given(contract, arguments).items()
    return given + [
        _argument(contract, pointer.removeprefix("/"), value, language, among=None) for pointer, value in missing
    ]


def _argument(contract: Contract, name: str, value: Any, language: str, *, among: Mapping[str, Any] | None) -> Argument:
    """`among` is what was given; None for a default that applies although nobody gave it."""
    shown = spelt(value)
    words = contract.reason_words(language, value) if isinstance(value, str) else ""
    words = words or contract.amount_words(language, name, among or {})
    label = contract.argument_label(language, name)
    return Argument(name, label, shown, "" if words in (shown, value) else words, given=among is not None)


def _fact(said: Any) -> Fact:
    said = said if isinstance(said, dict) else {"value": said}
    return Fact(
        str(said.get("label", "")), said.get("value"), str(said.get("source", "")), _instant(said.get("observed_at"))
    )


def _instant(value: Any) -> datetime | None:
    try:
        moment = parse_datetime(value) if isinstance(value, str) else None
    except ValueError:  # well formed, but no such day
        return None
    return moment if moment and moment.tzinfo else None


def _split(text: str) -> tuple[str, str]:
    first, dot, rest = text.partition(_FIRST)
    return (first + ".", rest) if dot else (text, "")
