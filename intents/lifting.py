"""Lets an object go whose outcome nobody can establish: two people, a reason, and the case stays open.

Other orders on the object may go on then, at the risk that those two took. The order itself stays unknown and is never
sent again; asking for a new attempt of it later needs the object free.
"""

from intents.caseload import NotAllowed, Open, open_case_for, require_length, settled, touch
from intents.lifts import Lift
from intents.models import Case, Intent
from intents.moving import tell_of, wake_waiters
from intents.states import State
from journal.kinds import Kind
from journal.recording import Actor
from tenancy.models import User


def asked_for(case: Case) -> Lift | None:
    """What waits for a second person, if anything does."""
    return case.lifts.select_related("asked_by").filter(lifted_at__isnull=True).first()


def ask_to_lift(*, person: User, intent_id: int, version: int, why: str) -> Lift:
    """Whoever works on the case asks that its object be let go.

    Raises:
        Intent.DoesNotExist, NotAllowed, Outdated.
    """

    def act() -> Lift:
        opened = _holding(person, intent_id=intent_id, version=version, owner=True)
        if not why.strip():
            raise NotAllowed("why_missing")
        require_length(why)
        if asked_for(opened.case):
            raise NotAllowed("lift_asked")
        touch(opened)
        _told(opened, person, kind=Kind.FENCE_LIFT_ASKED, why=why.strip())
        return Lift.objects.create(case=opened.case, why=why.strip(), asked_by=person, asked_at=opened.now)

    return settled(act)


def lift(*, person: User, intent_id: int, version: int) -> Lift:
    """Somebody else agrees: the object is let go, and whoever waited for it looks again.

    Raises:
        Intent.DoesNotExist, NotAllowed, Outdated.
    """

    def act() -> Lift:
        opened = _holding(person, intent_id=intent_id, version=version, owner=False)
        asked = asked_for(opened.case)
        if asked is None:
            raise NotAllowed("nothing_to_lift")
        if asked.asked_by_id == person.pk:
            raise NotAllowed("lift_yourself")
        Intent.objects.filter(pk=opened.held.intent.pk, state=State.UNKNOWN).update(fence_lifted_at=opened.now)
        Lift.objects.filter(pk=asked.pk).update(lifted_by=person, lifted_at=opened.now)
        touch(opened)
        _told(opened, person, kind=Kind.FENCE_LIFTED)
        wake_waiters(opened.held, now=opened.now)
        asked.refresh_from_db()
        return asked

    return settled(act)


def why_not_ask(case: Case, intent: Intent, *, work: str) -> str:
    """Empty where the person may ask, else the code that says why not."""
    if case.kind != Case.Kind.UNKNOWN or intent.state != State.UNKNOWN or intent.target is None:
        return "closed"
    return work or ("lifted" if intent.fence_lifted_at else "lift_asked" if asked_for(case) else "")


def why_not_lift(case: Case, person: User, *, right: str) -> str:
    """Empty where the person may agree, else the code that says why not."""
    asked = asked_for(case)
    if asked is None:
        return "nothing_to_lift"
    return right or ("lift_yourself" if asked.asked_by_id == person.pk else "")


def _holding(person: User, *, intent_id: int, version: int, owner: bool) -> Open:
    opened = open_case_for(person, intent_id=intent_id, version=version, owner=owner)
    if opened.held.state is not State.UNKNOWN or opened.held.intent.target is None:
        raise NotAllowed("nothing_to_lift")
    if opened.held.intent.fence_lifted_at:
        raise NotAllowed("lifted")
    return opened


def _told(opened: Open, person: User, *, kind: Kind, why: str = "") -> None:
    facts = {"case": opened.case.pk, "system": opened.held.intent.system, "target": opened.held.intent.target}
    personal = {"why": why} if why else None
    tell_of(opened.held, kind=kind, actor=Actor.person(person), now=opened.now, facts=facts, personal=personal)
