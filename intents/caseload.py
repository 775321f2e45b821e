"""Who works on a case: taking it, handing it over, and the right to act on it. Every act adds one to its version."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from intents.holding import Held, hold
from intents.models import Case, Intent
from intents.moving import tell_of
from journal.clock import now as database_now
from journal.kinds import Kind
from journal.recording import Actor
from tenancy.access import entitling_role, lock_entitlements
from tenancy.models import User

Done = TypeVar("Done")
MAX_WORDS = 4_000

SENTENCES: dict[str, Promise] = {
    "not_responsible": _("You do not hold the role that establishes this outcome."),
    "own_request": _("This was asked on your behalf: somebody else must establish its outcome."),
    "not_yours": _("Somebody else is working on this. Take it over first, and say why."),
    "take_it_first": _("Take this case first, so that others see who is on it."),
    "why_missing": _("Say why, in a few words."),
    "closed": _("This case is closed."),
    "already_yours": _("You are working on this already."),
    "unknown_reason": _("Choose one of the reasons."),
    "unknown_finding": _("Say what you established."),
    "words_missing": _("Say how you know, in a few words."),
    "words_too_long": _("Please keep it under 4,000 characters."),
    "link_not_web": _("A link must begin with https:// or http://."),
    "fields_missing": _("Enter every field that proves the effect."),
    "fields_differ": _("What you entered is not what was approved. Check it, or say that the effect differs."),
    "fields_match": _("What you entered is what was approved: that is no difference."),
    "search_differs": _("The business system, searched by our reference, shows something else."),
    "search_empty": _("The business system, searched by our reference, shows no such effect."),
    "search_failed": _("The business system could not be searched just now. Try again in a moment."),
    "too_early": _("It is too early: an effect may still appear."),
    "choose_then": _("Choose: close the matter, or ask for a new attempt."),
    "fence_taken": _("Another operation holds this object: a new attempt must wait for its end."),
    "nothing_to_second": _("There is no conclusion that waits for a second person."),
    "second_yourself": _("Somebody else must second what you concluded."),
    "lift_asked": _("Somebody asked already to let the object go: somebody else agrees, or nobody does."),
    "lifted": _("The object was let go already."),
    "nothing_to_lift": _("Nobody asks to let the object go."),
    "lift_yourself": _("Somebody else must agree to what you asked."),
    "not_a_colleague": _("That person does not hold the role that establishes this outcome."),
}


class NotAllowed(Exception):
    """The act did not take place: `code` is stable, `sentence` for the person, `fields` names what is wrong where."""

    def __init__(self, code: str, *, fields: dict[str, Promise | str] | None = None, until: datetime | None = None):
        super().__init__(code)
        self.code = code
        self.sentence: Promise | str = SENTENCES.get(code, code)
        self.fields = fields or {}
        self.until = until


class Outdated(Exception):
    """The case has changed since the page was made; `version` is the present one."""

    def __init__(self, version: int) -> None:
        super().__init__(f"the case is at version {version}")
        self.version = version


class Overtaken(Exception):
    """The outcome was established meanwhile by other evidence; `state` is where the intent stands."""

    def __init__(self, state: str) -> None:
        super().__init__(f"the intent is {state}")
        self.state = state


@dataclass
class Open:
    """An open case with its intent, locked, at one instant of the database's clock."""

    held: Held
    case: Case
    now: datetime


def settled(act: Callable[[], Done | Exception]) -> Done:
    """Run one act in one transaction; an exception it *returns* is raised after what it wrote is committed."""
    with transaction.atomic(durable=True):
        done = act()
    if isinstance(done, Exception):
        raise done
    return done


def open_case_for(person: User, *, intent_id: int, version: int, owner: bool = True) -> Open:
    """The open case, locked, for a person who may act on it. Inside a transaction.

    Raises:
        Intent.DoesNotExist, NotAllowed, Outdated.
    """
    held = hold(intent_id)
    case = (
        Case.objects.select_for_update(of=("self",))
        .select_related("owner")
        .filter(intent=held.intent, closed_at__isnull=True)
        .first()
    )
    if case is None:
        raise NotAllowed("closed")
    lock_entitlements(persons=[person], organization=held.proposal.organization)
    require_responsible(held, case, person)
    if case.version != version:
        raise Outdated(case.version)
    if owner and case.owner_id != person.pk:
        raise NotAllowed("not_yours" if case.owner_id else "take_it_first")
    return Open(held, case, database_now())


def require_responsible(held: Held, case: Case, person: User) -> None:
    """Raises NotAllowed unless the person holds the case's role there and is not who the matter is asked for."""
    code = why_not_responsible(held, case, person)
    if code:
        raise NotAllowed(code)


def why_not_responsible(held: Held, case: Case, person: User) -> str:
    """Empty when the person may work on the case, else the code that says why not."""
    proposal = held.proposal
    role = entitling_role(person, organization=proposal.organization, scope=proposal.scope, roles=[case.role])
    if role is None:
        return "not_responsible"
    return "own_request" if person.pk == proposal.requester_id else ""


def take(*, person: User, intent_id: int, version: int, why: str = "") -> Case:
    """The person works on the case, and others see it. Taking over from a colleague asks why.

    Raises:
        Intent.DoesNotExist, NotAllowed, Outdated.
    """

    def act() -> Case:
        opened = open_case_for(person, intent_id=intent_id, version=version, owner=False)
        if opened.case.owner_id == person.pk:
            raise NotAllowed("already_yours")
        if opened.case.owner_id and not why.strip():
            raise NotAllowed("why_missing")
        return _own(opened, person, by=person, why=why, kind=Kind.RECONCILIATION_TAKEN)

    return settled(act)


def hand_to(*, person: User, intent_id: int, version: int, to: User, why: str) -> Case:
    """A colleague who holds the role works on the case from now on.

    Raises:
        Intent.DoesNotExist, NotAllowed, Outdated.
    """

    def act() -> Case:
        opened = open_case_for(person, intent_id=intent_id, version=version)
        if not why.strip():
            raise NotAllowed("why_missing")
        if why_not_responsible(opened.held, opened.case, to):
            raise NotAllowed("not_a_colleague")
        return _own(opened, to, by=person, why=why, kind=Kind.RECONCILIATION_HANDED_OVER)

    return settled(act)


def _own(opened: Open, owner: User, *, by: User, why: str, kind: Kind) -> Case:
    require_length(why)
    before = opened.case.owner.get_username() if opened.case.owner else None
    touch(opened, owner=owner, owned_at=opened.now)
    tell_of(
        opened.held,
        kind=kind,
        actor=Actor.person(by),
        now=opened.now,
        facts={"case": opened.case.pk, "owner": owner.get_username(), "before": before},
        personal={"why": why.strip()} if why.strip() else None,
    )
    return opened.case


def touch(opened: Open, **columns: Any) -> None:
    """The case has the columns and the next version."""
    columns["version"] = opened.case.version + 1
    Case.objects.filter(pk=opened.case.pk, version=opened.case.version).update(**columns)
    for name, value in columns.items():
        setattr(opened.case, name, value)


def require_length(*texts: str) -> None:
    """Raises NotAllowed for words that nobody would read."""
    if any(len(text) > MAX_WORDS for text in texts):
        raise NotAllowed("words_too_long")


def intent_id_of(public_id: str) -> int:
    """42 for `I-42`; raises Intent.DoesNotExist for anything else."""
    digits = public_id.removeprefix("I-")
    if not (public_id.startswith("I-") and digits.isascii() and digits.isdigit() and len(digits) <= 18):
        raise Intent.DoesNotExist
    return int(digits)
