"""The words of the proof: its four rungs, and where an observation comes from."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

RUNGS: dict[str, Promise] = {
    "handed_over": _("Handed over"),
    "accepted": _("Accepted by the business system"),
    "observed": _("The effect was shown"),
    "verified": _("Every rule of the contract holds"),
}
NOT_REACHED: dict[str, Promise] = {
    "handed_over": _("nothing was handed over"),
    "accepted": _("no word of the business system says so"),
    "observed": _("nothing was shown yet"),
    "verified": _("not verified"),
}
SOURCES: dict[str, Promise] = {
    "answer": _("by its own answer"),
    "confirmation": _("read back at once"),
    "probe": _("looked up later"),
    "callback": _("by a signed message of its own"),
    "cancellation": _("by its answer to a cancellation"),
    "person": _("recorded by a person"),
}
CANCELLATIONS: dict[str, Promise] = {
    "needless": _("there was nothing to take back"),
    "not_delivered": _("it never left"),
    "cancelled": _("the business system says that it cancelled"),
    "refused": _("the business system refused to cancel"),
    "no_answer": _("not known whether it was cancelled"),
}


def cancellation_words(result: str) -> str:
    """What became of a cancellation."""
    return str(CANCELLATIONS.get(result, result))
