"""Makes visible what a reader could not see: invisible and direction-changing characters, mixed alphabets."""

import re
import unicodedata

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

# Letters and marks that are drawn as nothing, though Unicode does not call them format characters.
_DRAWN_AS_NOTHING = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef"
# Spaces that are not the ordinary one; a single no-break space is ordinary French.
_ODD_SPACES = "\u1680\u2000-\u200a\u205f\u3000"
_UNSEEN = re.compile(
    f"(?P<run>(?P<one>[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u0600-\u0605\u061c\u06dd\u070f\u180e"
    f"\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0001-\U000e007f"
    f"\ud800-\udfff{_DRAWN_AS_NOTHING}{_ODD_SPACES}])(?P=one)*)"
    "|(?P<nbsp>[\u00a0\u202f]{3,})"
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_LOOKING_ALIKE = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC")


def reveal(text: str) -> SafeString:
    """The text as HTML, inert, with a badge such as `⟦U+202E⟧` for each character that cannot be seen."""
    parts: list[str] = []
    position = 0
    for match in _UNSEEN.finditer(text):
        parts += [_words(text[position : match.start()]), _badge(match.group())]
        position = match.end()
    parts.append(_words(text[position:]))
    return mark_safe("".join(parts))  # noqa: S308  every part was escaped above


def hides_something(text: str) -> bool:
    """Whether the text holds a character that a reader cannot see, or a word of mixed alphabets."""
    return bool(_UNSEEN.search(text)) or any(_mixes_alphabets(word) for word in _WORD.findall(text))


def _badge(run: str) -> str:
    times = f" ×{len(run)}" if len(run) > 1 else ""
    return format_html('<span class="unseen">⟦U+{}{}⟧</span>', f"{ord(run[0]):04X}", times)


def _words(text: str) -> str:
    parts: list[str] = []
    position = 0
    for match in _WORD.finditer(text):
        if _mixes_alphabets(match.group()):
            parts += [escape(text[position : match.end()]), _mixed_badge()]
            position = match.end()
    parts.append(escape(text[position:]))
    return "".join(parts)


def _mixed_badge() -> str:
    return format_html('<span class="unseen">⟦{}⟧</span>', _("mixed alphabets"))


def _mixes_alphabets(word: str) -> bool:
    if word.isascii():
        return False
    names = (unicodedata.name(letter, "") for letter in word)
    return len({name.split(" ")[0] for name in names} & set(_LOOKING_ALIKE)) > 1
