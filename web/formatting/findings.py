"""What people conclude about an unknown outcome, and what they want done then, in words."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

_FINDINGS: dict[str, Promise] = {
    "happened": _("it happened"),
    "did_not_happen": _("it did not happen"),
    "still_unknown": _("still unknown"),
}
_THEN: dict[str, Promise] = {"close": _("the order is closed"), "new_attempt": _("a new attempt was asked for")}


def finding(code: str) -> str:
    """What a person concluded."""
    return str(_FINDINGS.get(code, code))


def then(code: str) -> str:
    """What was to be done after *did not happen*."""
    return str(_THEN.get(code, code))
