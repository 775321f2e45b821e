"""What went wrong on the way to a business system, in words."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

FAULTS: dict[str, Promise] = {
    "dns": _("its name was not found"),
    "connect_refused": _("the connection was refused"),
    "connect_timeout": _("no connection in time"),
    "tls": _("its certificate was not accepted"),
    "read_timeout": _("no answer in time"),
    "write_timeout": _("it did not take the request in time"),
    "reset": _("the connection was reset"),
    "closed": _("the connection closed before any answer"),
    "protocol": _("the answer was not HTTP"),
    "truncated": _("the answer was cut short"),
    "oversize": _("the answer was too large"),
    "encoding": _("the answer was encoded in an unexpected way"),
    "too_late": _("the time was up before it was sent"),
    "deadline": _("the deadline passed without an answer"),
    "deadline_passed": _("the deadline passed without an answer"),
    "outcome_deadline": _("accepted, then nothing more until the deadline"),
}


def fault_words(fault: str) -> str:
    """A fault or cause in words; the code itself where there are none."""
    return str(FAULTS.get(fault, fault))
