"""What an approved order waits for, in words."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

_WORDS: dict[str, Promise] = {
    "fence": _("another outcome on the same object is not established yet"),
    "object_fenced": _("another outcome on the same object is not established yet"),
    "admissions": _("admissions are stopped"),
    "target_unreachable": _("the business system does not show the target at the moment"),
    "not_delivered": _("the last attempt never left; another one follows"),
    "observation_stale": _("the target is being read again"),
    "circuit": _("the business system does not answer; one order tries again from time to time"),
    "paused": _("hand-over is paused after a restore, until an operator resumes it"),
}


def words(kind: str) -> str:
    """The words for one kind of waiting; its code where there are none."""
    return str(_WORDS.get(kind, kind))
