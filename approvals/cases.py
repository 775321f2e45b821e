"""One proposal as its deciders meet it: the current revision, whether it is open, and who may decide it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from django.db import transaction
from django.utils.functional import Promise

from approvals.models import Act, Exclusion, Signature
from approvals.wording import sentence
from proposals.arguments import parse_json
from proposals.contracts import Contract, contract_of
from proposals.models import Proposal, Revision
from proposals.queries import NotFound
from tenancy.access import entitling_role
from tenancy.models import User

Done = TypeVar("Done")


class Stale(Exception):
    """The person decided about something that is not the current revision any more."""

    def __init__(self, current_revision: int) -> None:
        super().__init__(f"revision {current_revision} is the current one")
        self.current_revision = current_revision


class NotAllowed(Exception):
    """The decision did not take place; `code` is stable, `sentence` is for the person."""

    def __init__(self, code: str, detail: str = "") -> None:
        self.code = code
        self.sentence: Promise | str = sentence(code)
        self.detail = detail  # what the policy said, in English
        super().__init__(code)


class AlreadyDecided(Exception):
    """Somebody was quicker, or the same person came twice: `what` was decided by `by` (may be None) at `at`."""

    def __init__(self, *, what: str, by: User | None, at: datetime) -> None:
        super().__init__(f"{what} at {at.isoformat()}")
        self.what, self.by, self.at = what, by, at


@dataclass
class Case:
    """A proposal with its current revision and the contract version that revision names."""

    proposal: Proposal
    revision: Revision
    contract: Contract
    arguments: Mapping[str, Any]


def settled(act: Callable[[], Done | NotAllowed]) -> Done:
    """Run one decision in one transaction; a refusal that has something to write is returned, committed, raised."""
    with transaction.atomic(durable=True):
        done = act()
    if isinstance(done, NotAllowed):
        raise done
    return done


def load(proposal_id: int, *, lock: bool = False) -> Case:
    """Return the case; with `lock`, inside a transaction, its proposal row is held FOR UPDATE first.

    Raises:
        NotFound: no proposal has this id.
    """
    rows = Proposal.objects.select_related("organization", "scope", "requester", "token__on_behalf_of", "agent")
    rows = rows.select_for_update(of=("self",)) if lock else rows
    proposal = rows.filter(pk=proposal_id).first()
    if proposal is None:
        raise NotFound(NotFound.__doc__)
    revision = proposal.revisions.select_related("contract").get(number=proposal.current_revision)
    revision.proposal = proposal  # one object carries the chain head, not two
    return Case(proposal, revision, contract_of(revision.contract), parse_json(bytes(revision.arguments)))


def require_current(case: Case, *, revision: int, digest: str) -> None:
    """Raises Stale unless the person saw exactly the current revision."""
    if revision != case.revision.number or digest != case.revision.digest:
        raise Stale(case.revision.number)


def open_round(case: Case) -> int | None:
    """The round that is open for signatures: 1 while it awaits approval, n + 1 once reopened, None when closed."""
    if case.proposal.state == Proposal.State.AWAITING_APPROVAL:
        return 1
    # The intent stands one floor up, and is asked for through the relation it declares on its revision.
    if not Revision.objects.filter(pk=case.revision.pk, intent__state="reopened").exists():
        return None
    last = case.revision.authorizations.order_by("-round").first()
    return last.round + 1 if last and last.voided_at else None


def require_open(case: Case, *, round: int) -> None:
    """Raises AlreadyDecided, or NotAllowed when no decision of a person closed it, unless `round` is open."""
    if open_round(case) == round and not _refused(case, round=round):
        return
    decided = _refused(case, round=round) or _last_decision(case)
    if decided is not None:
        raise decided
    state = case.proposal.state
    raise NotAllowed("expired" if state == Proposal.State.EXPIRED else "closed", detail=f"The proposal is {state}.")


def _refused(case: Case, *, round: int) -> AlreadyDecided | None:
    act = case.revision.acts.filter(kind=Act.Kind.REFUSAL, round=round).select_related("person").first()
    return AlreadyDecided(what="refused", by=act.person, at=act.at) if act else None


def _last_decision(case: Case) -> AlreadyDecided | None:
    proposal = case.proposal
    if proposal.state == Proposal.State.CHANGES_REQUESTED:
        act = case.revision.acts.filter(kind=Act.Kind.CHANGE_REQUEST).select_related("person").latest("at")
        return AlreadyDecided(what="changes requested", by=act.person, at=act.at)
    if proposal.state == Proposal.State.WITHDRAWN:
        return AlreadyDecided(what="withdrawn", by=proposal.requester, at=proposal.changed_at)
    if proposal.state != Proposal.State.AUTHORIZED:
        return None
    last = Signature.objects.filter(revision=case.revision).select_related("person").order_by("-signed_at").first()
    return AlreadyDecided(what="approved", by=last.person, at=last.signed_at) if last else None


def right_of(case: Case, person: User, *, round: int = 1) -> tuple[str | None, str]:
    """The role that entitles the person to decide this case, or None, and the code that says why not.

    Separation of duties: never the person it is asked for, never the person behind the token, never somebody
    excluded from this round.
    """
    proposal, roles = case.proposal, case.contract.policy.approver_roles
    role = entitling_role(person, organization=proposal.organization, scope=proposal.scope, roles=roles)
    if role is None:
        return None, "not_an_approver"
    if person.pk in (proposal.requester_id, proposal.token.on_behalf_of_id):
        return None, "own_request"
    if Exclusion.objects.filter(revision=case.revision, round=round, person=person).exists():
        return None, "excluded"
    return role, ""


def live_signatures(case: Case, *, round: int, now: datetime) -> list[Signature]:
    """The signatures that count towards this round's quorum at `now`: not revoked, not lapsed."""
    rows = case.revision.signatures.filter(round=round, revoked_at__isnull=True, expires_at__gt=now)
    return list(rows.select_related("person").order_by("pk"))
