"""What went wrong on the way to a business system or ended an order, in words."""

import re

from django.utils.functional import Promise
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from approvals.wording import SENTENCES

FAULTS: dict[str, Promise] = {
    "dns": _("its name was not found"),
    "connect_refused": _("the connection was refused"),
    "connect_timeout": _("no connection in time"),
    "connect_failed": _("the connection could not be made"),
    "address": _("its name leads to an address that it may not have"),
    "tls": _("its certificate was not accepted"),
    "token": _("it gave no token to prove who asks"),
    "read_timeout": _("no answer in time"),
    "write_timeout": _("it did not take the request in time"),
    "reset": _("the connection was reset"),
    "target_unreachable": _("it did not show the target"),
    "database_older_than_epoch": _("the database is older than the epoch file"),
    "epoch_file_missing": _("the epoch file is missing"),
    "epoch_file_unreadable": _("the epoch file cannot be read"),
    "closed": _("the connection closed before any answer"),
    "protocol": _("the answer was not HTTP"),
    "truncated": _("the answer was cut short"),
    "oversize": _("the answer was too large"),
    "headers": _("the answer had too many headers"),
    "no_length": _("the answer did not say how long it is"),
    "encoding": _("the answer was encoded in an unexpected way"),
    "too_late": _("the time was up before it was sent"),
    "deadline": _("the deadline passed without an answer"),
    "deadline_passed": _("the deadline passed without an answer"),
    "outcome_deadline": _("accepted, then nothing more until the deadline"),
    "called_back": _("the business system called back before it answered"),
    "no_answer": _("no answer arrived"),
    "unreadable_answer": _("the answer could not be read as what it should be"),
    "foreign_reference": _("the answer names the reference of somebody else"),
    "no_reference": _("the answer does not name our reference"),
    "incomplete_answer": _("the answer lacks a field that proves the effect"),
    "redirect": _("the answer sends elsewhere, which is never followed"),
    "conflict": _("the answer speaks of a conflict, which may be our own effect"),
    "temporary_fault": _("the business system reported a fault, which does not say whether it acted"),
    "undocumented_refusal": _("the business system refused in a way it does not document as final"),
    "no_success": _("the answer does not say that it succeeded"),
    "search_does_not_settle": _("a search does not settle what the earlier attempt did"),
    "not_processed": _("the business system said that it did not process it"),
    "not_sent": _("it never left"),
    "accepted": _("accepted, not established yet"),
    "proven": _("the effect is proven"),
    "differs": _("what was found differs from what was approved"),
    "duplicate": _("two effects were found"),
    "found_on_not_executed": _("an effect was found after people established that there was none"),
    "found_on_refused": _("an effect was found after the business system had refused"),
    "found_on_void": _("an effect was found although nothing was sent"),
    "found_on_confirmed": _("later news contradicts what was confirmed"),
    "did_not_happen": _("people established that it did not happen"),
    "delivery_budget": _("it could not be delivered within the attempts allowed"),
    "expired": _("the time for it has passed"),
    "review_expired": _("nobody decided in time"),
    "revoked": _("an approval was revoked"),
    "rejected": _("an approver refused it"),
    "withdrawn": _("the requester took it back"),
    "superseded": _("a newer revision replaced it"),
    "ended": _("it was ended before"),
}
_STATUS = re.compile(r"status_([0-9]{3})")


def fault_words(fault: str) -> str:
    """A fault or cause in words; the code itself where there are none."""
    if told := _STATUS.fullmatch(fault):
        return _now("the business system refused it (%(status)s)") % {"status": told[1]}
    return str(FAULTS.get(fault) or SENTENCES.get(fault) or fault)
