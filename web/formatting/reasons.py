"""The typed reasons people choose from, in words. A contract names its own codes; unknown ones show as they are."""

from collections.abc import Iterable

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

_WORDS: dict[str, Promise] = {
    "WRONG_TARGET": _("It is the wrong target"),
    "NOT_JUSTIFIED": _("The reason does not justify it"),
    "WRONG_AMOUNT": _("The amount is wrong"),
    "DUPLICATE": _("It was asked already"),
    "NOT_NOW": _("Not at this time"),
    "REASON": _("The reason must change"),
    "TARGET": _("The target must change"),
    "AMOUNT": _("The amount must change"),
    "MISTAKE": _("It was signed by mistake"),
    "SITUATION_CHANGED": _("The situation has changed"),
    "NEW_INFORMATION": _("New information came to light"),
    "OTHER": _("Another reason, in your words"),
}
REVOKE = ("MISTAKE", "SITUATION_CHANGED", "NEW_INFORMATION", "OTHER")


def choices(codes: Iterable[str]) -> list[tuple[str, str | Promise]]:
    """Code and words, in the contract's order."""
    return [(code, _WORDS.get(code, code)) for code in codes]


def words(code: str) -> str | Promise:
    """The words for a code; the code itself where there are none."""
    return _WORDS.get(code, code)
