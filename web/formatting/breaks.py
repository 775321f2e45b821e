"""Why the journal does not verify, in the reader's language."""

import re

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

_WORDS: dict[str, Promise] = {
    r"its bytes do not match its digest": _("its bytes do not match its digest"),
    r"a column says something else than its bytes": _("a column says something else than its bytes"),
    r"its subjects say something else than its bytes": _("its subjects say something else than its bytes"),
    r"an entry before it is missing from chain (?P<chain>\S+)": _("an entry before it is missing from %(chain)s"),
    r"it is not linked to the entry before it in chain (?P<chain>\S+)": _(
        "it is not linked to the entry before it in %(chain)s"
    ),
    r"personal content was put beside it that it does not tell of": _(
        "personal words were put beside it that it does not tell of"
    ),
    r"its personal content was removed, not erased": _("its personal words were removed, not erased"),
    r"its personal content was emptied without an entry that tells of it": _(
        "its personal words were emptied, and no entry tells of it"
    ),
    r"its personal content is not what was told": _("its personal words are not those that were told"),
    r"chain (?P<chain>\S+) does not end where its proposal says: entries are missing or added": _(
        "%(chain)s does not end where its proposal says: entries are missing or added"
    ),
    r"chain (?P<chain>\S+) belongs to no proposal": _("%(chain)s belongs to no proposal"),
}


def words(reason: str) -> str:
    """The reason in words; as the journal says it where there are none."""
    for pattern, told in _WORDS.items():
        if found := re.fullmatch(pattern, reason):
            return str(told) % found.groupdict() if found.groupdict() else str(told)
    return reason
