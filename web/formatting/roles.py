"""Roles as people say them. Contracts name their own: those are read as they are, without underscores."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

_WORDS: dict[str, Promise] = {
    "support": _("support"),
    "owner": _("contract owner"),
    "operator": _("operator"),
    "auditor": _("auditor"),
}


def words(role: str) -> str:
    """The role in words."""
    return str(_WORDS.get(role, role.replace("_", " ")))
