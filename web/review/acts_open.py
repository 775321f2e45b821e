"""Which acts a case offers to one person now; what is not possible says why."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from approvals.cases import Case, live_signatures, open_round, right_of
from approvals.deciding import may_sign
from approvals.models import Signature
from approvals.wording import sentence
from intents.queries import Standing
from tenancy.models import User

_UNDER_WAY = frozenset({"in_progress", "accepted_by_target", "outcome_unknown"})


@dataclass(frozen=True)
class Open:
    """What the decide panel offers. `why_not` is the sentence beside a signature that is not possible."""

    sign: bool
    why_not: str | Promise
    refuse: bool
    change: bool
    claim: bool
    revoke: Signature | None
    cancel: bool

    @property
    def anything(self) -> bool:
        """Whether the person may do more than read and comment."""
        return self.sign or self.refuse or self.change or bool(self.revoke) or self.cancel


NOTHING = Open(False, "", False, False, False, None, False)


def for_person(case: Case, person: User, *, now: datetime, standing: Standing, is_current: bool) -> Open:
    """The acts open to the person at `now`; asked again, under the lock, when one is made."""
    if not is_current:
        return Open(
            False, _("This is an older revision: it can be read, not decided."), False, False, False, None, False
        )
    sign, code = may_sign(case, person, now=now)
    round = open_round(case)
    entitled = right_of(case, person, round=round or 1)[0] is not None
    decides = entitled and round is not None and now < case.proposal.review_expires_at
    mine = [one for one in _standing_signatures(case, now=now) if one.person_id == person.pk]
    return Open(
        sign=sign,
        why_not="" if sign else _("You have signed this already.") if code == "already_signed" else sentence(code),
        refuse=decides,
        change=decides and round == 1,
        claim=decides and case.proposal.claimed_by_id != person.pk,
        revoke=mine[0] if mine and standing.status in {"awaiting_approval", "approved"} else None,
        cancel=entitled and standing.status in _UNDER_WAY,
    )


def _standing_signatures(case: Case, *, now: datetime) -> list[Signature]:
    round = open_round(case)
    if round is None:
        last = case.revision.authorizations.order_by("-round").first()
        round = last.round if last else 1
    return live_signatures(case, round=round, now=now)
