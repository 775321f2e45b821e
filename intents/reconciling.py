"""A person establishes an outcome, with evidence and a reason, without ever causing a second effect.

Before any conclusion the business system is searched where it can be: what it shows by our reference outweighs
what anybody enters. Where the contract asks for a second person, a conclusion takes effect only once seconded.
"""

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError

from intents.caseload import NotAllowed, Open, Outdated, Overtaken, hand_to, open_case_for, settled, take, touch
from intents.concluding import apply, reasons_for, require_said
from intents.doubting import close_case, searchable
from intents.entering import Said, absence_problem, as_evidence, entered, fields_problem, search_problem
from intents.establishing import Seen, keep, learn
from intents.evidence import Verdict
from intents.holding import glance
from intents.models import Case, Conclusion, Evidence
from intents.moving import tell_of
from intents.searching import search
from intents.states import State
from journal.kinds import Kind
from journal.recording import Actor
from tenancy.models import User

__all__ = [
    "NotAllowed",
    "Outdated",
    "Overtaken",
    "close_divergence",
    "conclude",
    "hand_to",
    "reasons_for",
    "record_evidence",
    "second",
    "take",
]

Finding = Conclusion.Finding


def record_evidence(
    *, person: User, intent_id: int, version: int, fields: Mapping[str, Any] | None = None, words: str, link: str = ""
) -> Evidence:
    """What the person observed stands with the case, judged by the contract's rules. Nothing is concluded from it.

    Raises:
        Intent.DoesNotExist, NotAllowed, Outdated.
    """

    def act() -> Evidence:
        require_said(words=words, link=link)
        opened = open_case_for(person, intent_id=intent_id, version=version)
        seen = entered(opened.held, fields or {}, person=person, words=words, link=link)
        touch(opened)
        return keep(opened.held, seen, actor=Actor.person(person), now=opened.now)

    return settled(act)


def conclude(
    *,
    person: User,
    intent_id: int,
    version: int,
    finding: str,
    reason: str,
    then: str = "",
    words: str = "",
    fields: Mapping[str, Any] | None = None,
    link: str = "",
    differs: bool = False,
) -> Conclusion:
    """The person's conclusion stands, with its evidence; an outcome that it establishes is the intent's.

    `finding` is happened, did_not_happen or still_unknown; `then`, for did_not_happen, is close or new_attempt;
    `fields` are those of the contract's effect to verify; `differs` says that another effect than the approved
    one was found. One remote call at most, outside any transaction.

    Raises:
        Intent.DoesNotExist, NotAllowed (`.fields` names what is wrong where), Outdated, Overtaken.
    """
    said = Said(finding, then, reason, words.strip(), fields or {}, link.strip(), differs)
    require_said(finding=finding, then=then, reason=reason, words=said.words, link=said.link)
    shown = _search(intent_id, finding)

    def act() -> Conclusion | Exception:
        opened = open_case_for(person, intent_id=intent_id, version=version)
        if opened.held.state is not State.UNKNOWN:
            return Overtaken(opened.held.state)
        return _conclude(opened, said, shown, person=person)

    try:
        return settled(act)
    except IntegrityError as error:
        raise NotAllowed("fence_taken") from error


def _search(intent_id: int, finding: str) -> Seen | None:
    held = glance(intent_id)
    if finding == Finding.STILL_UNKNOWN or held.state is not State.UNKNOWN or not searchable(held):
        return None
    return search(held, attempt=held.intent.attempt)


def _conclude(opened: Open, said: Said, shown: Seen | None, *, person: User) -> Conclusion | Exception:
    actor = Actor.person(person)
    if shown and _outweighs(said, shown):
        learn(opened.held, shown, actor=actor, now=opened.now)
        return Overtaken(opened.held.state)
    problem = _contradicted(opened, said, shown)
    if problem:
        return problem
    if shown:
        keep(opened.held, shown, actor=actor, now=opened.now)
    evidence = None
    if said.finding != Finding.STILL_UNKNOWN:
        seen = as_evidence(opened.held, said, person=person)
        evidence = keep(opened.held, seen, actor=actor, now=opened.now)
    conclusion = _write(opened, said, evidence, person=person)
    if said.finding != Finding.STILL_UNKNOWN and not opened.held.contract.reconciliation.second_person:
        apply(opened, conclusion, actor=actor)
    return conclusion


def _outweighs(said: Said, shown: Seen) -> bool:
    """Whether the search settles the outcome otherwise than the person would."""
    verdict = shown.judgement.verdict
    if verdict is Verdict.CONTRADICTS:
        return not said.differs
    return verdict is Verdict.PROVES and (said.finding == Finding.DID_NOT_HAPPEN or said.differs)


def _contradicted(opened: Open, said: Said, shown: Seen | None) -> NotAllowed | None:
    """What stands against the conclusion, after the evidence was looked at."""
    if said.finding == Finding.STILL_UNKNOWN:
        return None
    early = _too_early(opened)
    if said.finding == Finding.DID_NOT_HAPPEN:
        if early:
            return NotAllowed("too_early", until=opened.held.intent.absence_meaningful_at)
        return absence_problem(shown)
    problem = fields_problem(opened.held, said) or _why_not_there(opened, shown)
    return problem if problem or shown is None else search_problem(said, shown)


def _why_not_there(opened: Open, shown: Seen | None) -> NotAllowed | None:
    """Once absence means something, what a whole search does not show did not happen."""
    empty = shown is not None and shown.judgement.because == "nothing_found" and not _too_early(opened)
    return NotAllowed("search_empty") if empty else None


def _too_early(opened: Open) -> bool:
    meaningful = opened.held.intent.absence_meaningful_at
    return meaningful is not None and opened.now < meaningful


def _write(opened: Open, said: Said, evidence: Evidence | None, *, person: User) -> Conclusion:
    conclusion = Conclusion.objects.create(
        case=opened.case,
        finding=said.finding,
        then=said.then if said.finding == Finding.DID_NOT_HAPPEN else "",
        reason=said.reason,
        words=said.words,
        evidence=evidence,
        person=person,
        at=opened.now,
    )
    touch(opened)
    facts = {"case": opened.case.pk, "finding": said.finding, "then": conclusion.then, "reason": said.reason}
    if evidence:
        facts["evidence"] = evidence.pk
    if opened.held.contract.reconciliation.second_person and evidence:
        facts["awaits"] = "second_person"
    tell_of(
        opened.held,
        kind=Kind.RECONCILIATION_CONCLUDED,
        actor=Actor.person(person),
        now=opened.now,
        facts=facts,
        personal={"words": said.words} if said.words else None,
    )
    return conclusion


def second(*, person: User, intent_id: int, version: int) -> Conclusion:
    """Another person holds the latest conclusion to be right: it takes effect.

    Raises:
        Intent.DoesNotExist, NotAllowed, Outdated, Overtaken.
    """
    shown = _search(intent_id, Finding.DID_NOT_HAPPEN)

    def act() -> Conclusion | Exception:
        opened = open_case_for(person, intent_id=intent_id, version=version, owner=False)
        if opened.held.state is not State.UNKNOWN:
            return Overtaken(opened.held.state)
        return _second(opened, shown, person=person)

    try:
        return settled(act)
    except IntegrityError as error:
        raise NotAllowed("fence_taken") from error


def pending(case: Case) -> Conclusion | None:
    """The conclusion that waits for a second person: the latest one, while it establishes something."""
    last = case.conclusions.select_related("person", "evidence").order_by("-pk").first()
    waits = last is not None and last.seconded_at is None and last.finding != Finding.STILL_UNKNOWN
    return last if waits else None


def _second(opened: Open, shown: Seen | None, *, person: User) -> Conclusion | Exception:
    conclusion, actor = pending(opened.case), Actor.person(person)
    if conclusion is None:
        return NotAllowed("nothing_to_second")
    if conclusion.person_id == person.pk:
        return NotAllowed("second_yourself")
    absent = conclusion.finding == Finding.DID_NOT_HAPPEN
    found = shown is not None and shown.judgement.verdict is not Verdict.NOTHING
    if shown and found and (absent or shown.judgement.verdict is Verdict.CONTRADICTS):
        learn(opened.held, shown, actor=actor, now=opened.now)
        return Overtaken(opened.held.state)
    problem = absence_problem(shown) if absent else _why_not_there(opened, shown)
    if problem:
        return problem
    Conclusion.objects.filter(pk=conclusion.pk, seconded_at__isnull=True).update(
        seconded_by=person, seconded_at=opened.now
    )
    conclusion.seconded_by, conclusion.seconded_at = person, opened.now
    touch(opened)
    facts = {"case": opened.case.pk, "conclusion": conclusion.pk, "finding": conclusion.finding}
    tell_of(opened.held, kind=Kind.RECONCILIATION_SECONDED, actor=actor, now=opened.now, facts=facts)
    apply(opened, conclusion, actor=actor)
    return conclusion


def close_divergence(*, person: User, intent_id: int, version: int, how: str, words: str, link: str = "") -> Case:
    """A differing effect was `compensated` or `accepted`, with evidence: its case is closed; the intent stays.

    Raises:
        Intent.DoesNotExist, NotAllowed, Outdated.
    """

    def act() -> Case:
        require_said(words=words, link=link)
        if how not in ("compensated", "accepted"):
            raise NotAllowed("unknown_finding")
        opened = open_case_for(person, intent_id=intent_id, version=version)
        if opened.case.kind != Case.Kind.DIVERGED:
            raise NotAllowed("closed")
        actor = Actor.person(person)
        seen = entered(opened.held, {}, person=person, words=words, link=link)
        keep(opened.held, seen, actor=actor, now=opened.now)
        close_case(opened.held, how=how, actor=actor, now=opened.now)
        return Case.objects.get(pk=opened.case.pk)

    return settled(act)
