"""The words and the tone of each status, verdict and intent state. Doubt has its own tone, used for nothing else."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

_STATUSES: dict[str, tuple[str | Promise, str]] = {
    "awaiting_approval": (_("Awaiting a decision"), "wait"),
    "changes_requested": (_("Changes requested"), "warn"),
    "rejected": (_("Refused by an approver"), "bad"),
    "withdrawn": (_("Withdrawn"), ""),
    "superseded": (_("Replaced by a newer revision"), ""),
    "expired": (_("Expired, nothing was sent"), ""),
    "revoked": (_("Revoked, nothing was sent"), ""),
    "approved": (_("Approved, not sent yet"), "wait"),
    "not_sent": (_("Not sent"), "bad"),
    "in_progress": (_("Being sent"), "wait"),
    "accepted_by_target": (_("Accepted by the business system, not established yet"), "wait"),
    "confirmed": (_("Confirmed"), "good"),
    "answered": (_("Answered"), "good"),
    "refused_by_target": (_("Refused by the business system"), "bad"),
    "outcome_unknown": (_("Outcome unknown"), "doubt"),
    "not_executed": (_("Established: it did not happen"), ""),
    "diverged": (_("Another effect than approved"), "bad"),
}

_VERDICTS: dict[str, tuple[str | Promise, str]] = {
    "holds": (_("holds"), "good"),
    "holds_then": (_("held then"), ""),
    "fails": (_("fails"), "bad"),
    "waits": (_("waits"), "warn"),
    "changed": (_("changed"), "warn"),
    "not_asked": (_("not asked"), ""),
    "proves": (_("proves it"), "good"),
    "contradicts": (_("contradicts"), "bad"),
    "disproves": (_("no effect"), "bad"),
    "nothing": (_("no conclusion"), ""),
    "differs": (_("differs"), "bad"),
    "missing": (_("absent"), "warn"),
    "stale": (_("too old"), "warn"),
}


def words(status: str) -> str | Promise:
    """The status in a reader's words."""
    return _STATUSES.get(status, (status, ""))[0]


def tone(status: str) -> str:
    """The class of its badge."""
    return _STATUSES.get(status, ("", ""))[1]


def verdict(value: str) -> str | Promise:
    """The verdict in a word."""
    return _VERDICTS.get(value, (value, ""))[0]


def verdict_tone(value: str) -> str:
    """The class of its badge."""
    return _VERDICTS.get(value, ("", ""))[1]
