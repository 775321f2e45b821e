"""Cuts the list of a caller's proposals into pages, newest first; a cursor is the number of the last one looked at."""

import re
from dataclasses import dataclass

from intents.standing import Standing, standing
from intents.statements import Status
from proposals.models import Proposal
from proposals.queries import visible_to
from tenancy.access import Caller
from web.api.parsing import malformed

PAGE = 20
MAX_PAGE = 100
# A rare status is looked for among so many proposals at a time; the cursor goes on from there.
_LOOKED_AT = 300
_CURSOR = re.compile(r"[1-9][0-9]{0,17}")


@dataclass(frozen=True)
class Page:
    """Proposals with how they stand; `cursor` is None at the end."""

    items: list[tuple[Proposal, Standing]]
    cursor: str | None


def page_of(caller: Caller, *, status: str | None, cursor: str | None, limit: str | None, language: str) -> Page:
    """The caller's own proposals after `cursor`, those of one status if it is named. Raises Refusal."""
    size = _size(limit)
    if status is not None and status not in list(Status):
        raise malformed(f"status is one of: {', '.join(sorted(Status))}.", keyword="query")
    rows = visible_to(caller).select_related("organization", "scope", "contract", "requester", "agent", "token")
    if cursor is not None:
        if not _CURSOR.fullmatch(cursor):
            raise malformed("cursor is the next_cursor of the page before.", keyword="query")
        rows = rows.filter(pk__lt=int(cursor))
    seen = list(rows.order_by("-pk")[: _LOOKED_AT if status else size])
    found: list[tuple[Proposal, Standing]] = []
    last = 0
    for proposal in seen:
        last = proposal.pk
        stands = standing(proposal, language=language)
        if status in (None, stands.status):
            found.append((proposal, stands))
        if len(found) == size:
            break
    more = bool(last) and rows.filter(pk__lt=last).exists()
    return Page(found, str(last) if more else None)


def _size(limit: str | None) -> int:
    if limit is None:
        return PAGE
    if not re.fullmatch(r"[1-9][0-9]{0,2}", limit) or int(limit) > MAX_PAGE:
        raise malformed(f"limit is a whole number from 1 to {MAX_PAGE}.", keyword="query")
    return int(limit)
