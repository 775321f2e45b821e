"""One change between two versions of a contract, told as a sentence in the reader's language."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from proposals.contracts import in_language

_LONGEST = 300


class About(StrEnum):
    """What a change touches, in the order in which a reader wants to know."""

    MEANING = "meaning"  # what happens, to whom, and what undoes it
    POLICY = "policy"  # who may ask and sign, how long, how often
    ARGUMENTS = "arguments"
    PROOF = "proof"  # what proves the effect, what an agent is given back, how an unknown is worked on
    WORDS = "words"


@dataclass(frozen=True)
class Change:
    """One change. `text` is a sentence with named places; a value may be words in two languages or a length of time."""

    about: About
    text: str | Promise
    names: Mapping[str, Any] = field(default_factory=dict)

    def sentence(self) -> str:
        """What changes, in the language that is active."""
        told = {name: shown(value) for name, value in self.names.items()}
        if "old" in told and told.get("old") == told.get("new"):  # it differs in the other language
            told |= {name: both(self.names[name]) for name in ("old", "new")}
        return str(self.text) % told


def shown(value: Any) -> str:
    """A value as a sentence shows it: words in the active language, lengths of time exactly, anything else as JSON."""
    if isinstance(value, Mapping) and value.keys() == {"en", "fr"}:
        return in_language(value, get_language() or "en")
    if isinstance(value, timedelta):
        return spanned(value)
    if isinstance(value, (str, Promise)):
        return str(value).strip()
    if isinstance(value, (list, tuple)) and all(isinstance(item, (str, timedelta)) for item in value):
        return ", ".join(shown(item) for item in value)
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def both(value: Any) -> str:
    """Words in every language they have; anything else as JSON."""
    if isinstance(value, Mapping) and value.keys() == {"en", "fr"}:
        return " / ".join(str(value[language]).strip() for language in ("en", "fr"))
    return json.dumps(value, ensure_ascii=False, default=str)


def spanned(length: timedelta) -> str:
    """A length of time without rounding: `1 day 2 h`, `90 s` as `1 min 30 s`, nothing at all as `0 s`."""
    minutes, seconds = divmod(length.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    rest = f"{seconds + length.microseconds / 1_000_000:g}"
    parts = [
        ngettext("%(n)d day", "%(n)d days", length.days) % {"n": length.days} if length.days else "",
        _("%(n)d h") % {"n": hours} if hours else "",
        _("%(n)d min") % {"n": minutes} if minutes else "",
        f"{rest} s" if rest != "0" else "",
    ]
    return " ".join(part for part in parts if part) or "0 s"


def new_and_gone(before: Iterable[Any], after: Iterable[Any]) -> tuple[list[Any], list[Any]]:
    """What a list has that it had not, and what it has not any more; each in its own order."""
    old, new = list(before), list(after)
    return [one for one in new if one not in old], [one for one in old if one not in new]
