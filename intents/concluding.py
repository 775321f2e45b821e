"""What a conclusion may say, and what it does to the intent once it takes effect."""

from approvals.models import Exclusion
from intents.caseload import NotAllowed, Open, require_length
from intents.doubting import close_case
from intents.ending import end_without_effect, void_authorization
from intents.establishing import MOVED_BY, settle
from intents.evidence import Verdict
from intents.models import Conclusion
from intents.moving import move
from intents.states import State
from journal.kinds import Kind
from journal.recording import Actor
from proposals.models import Proposal
from tenancy.models import User

Finding = Conclusion.Finding
CLOSE, NEW_ATTEMPT = "close", "new_attempt"
REASONS: dict[str, tuple[str, ...]] = {
    Finding.HAPPENED: ("SEEN_IN_BUSINESS_SYSTEM", "CONFIRMED_BY_OWNER", "OTHER"),
    Finding.DID_NOT_HAPPEN: ("SEARCHED_NOT_FOUND", "CONFIRMED_BY_OWNER", "OTHER"),
    Finding.STILL_UNKNOWN: ("CANNOT_SEARCH", "WAITING_FOR_ANSWER", "CONTRADICTORY", "OTHER"),
}


def reasons_for(finding: str) -> tuple[str, ...]:
    """The codes a person chooses from for a finding."""
    return REASONS.get(finding, ())


def require_said(*, finding: str = "", then: str = "", reason: str = "", words: str = "", link: str = "") -> None:
    """What does not depend on the case: a known finding and reason, words where they are the evidence, a web link.

    Raises:
        NotAllowed
    """
    require_length(words, link)
    if link and not link.startswith(("https://", "http://")):
        raise NotAllowed("link_not_web")
    if finding:
        if finding not in REASONS:
            raise NotAllowed("unknown_finding")
        if reason not in REASONS[finding]:
            raise NotAllowed("unknown_reason")
        if finding == Finding.DID_NOT_HAPPEN and then not in (CLOSE, NEW_ATTEMPT):
            raise NotAllowed("choose_then")
    needs_words = finding in ("", Finding.DID_NOT_HAPPEN) or reason == "OTHER"
    if needs_words and not words.strip():
        raise NotAllowed("words_missing")


def apply(opened: Open, conclusion: Conclusion, *, actor: Actor) -> None:
    """The conclusion takes effect on the intent, in the caller's transaction."""
    held, now = opened.held, opened.now
    if conclusion.finding == Finding.HAPPENED:
        assert conclusion.evidence is not None
        settle(held, conclusion.evidence, to=MOVED_BY[Verdict(conclusion.evidence.verdict)], actor=actor, now=now)
    elif conclusion.then == CLOSE:
        facts = {"conclusion": conclusion.pk, "finding": conclusion.finding}
        end_without_effect(held, cause="did_not_happen", actor=actor, now=now, facts=facts)
    else:
        _reopen(opened, conclusion, actor=actor)


def _reopen(opened: Open, conclusion: Conclusion, *, actor: Actor) -> None:
    """A new attempt awaits fresh signatures, by others than those who concluded; the object stays fenced."""
    held, now = opened.held, opened.now
    void_authorization(held, cause="did_not_happen", actor=actor, now=now)
    review_ends = now + held.contract.policy.review_within
    move(
        held,
        to=State.REOPENED,
        actor=actor,
        now=now,
        kind=Kind.ATTEMPT_REOPENED,
        expected=State.UNKNOWN,
        fence=held.intent.attempt,
        facts={"conclusion": conclusion.pk, "round": held.authorization.round + 1},
        reopened_at=now,
        fence_lifted_at=None,
        next_probe_at=None,
    )
    Proposal.objects.filter(pk=held.proposal.pk).update(review_expires_at=review_ends, claimed_by=None, claimed_at=None)
    for person in filter(None, (conclusion.person, conclusion.seconded_by)):
        _exclude(opened, person)
    close_case(held, how=NEW_ATTEMPT, actor=actor, now=now)


def _exclude(opened: Open, person: User) -> None:
    Exclusion.objects.get_or_create(
        revision=opened.held.revision,
        round=opened.held.authorization.round + 1,
        person=person,
        defaults={"why": "concluded_did_not_happen"},
    )
