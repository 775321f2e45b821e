"""Words and numbers of the figures."""

from django import template
from django.utils.functional import Promise
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from web.formatting.refusals import refusal_words

register = template.Library()

_ENDS: dict[str, Promise] = {
    "proven": _("proven"),
    "answered": _("answered"),
    "open": _("still open"),
    "unknown": _("outcome unknown"),
    "differs": _("differs from what was approved"),
    "refused": _("refused by the business system"),
    "stopped": _("ended without effect"),
}


@register.filter
def end_words(name: str) -> str:
    """What became of it."""
    return str(_ENDS[name])


@register.filter
def percent(rate: float | None) -> str:
    """A share: `97.5 %`, in the reader's spelling and never broken; a dash where there is nothing to share."""
    if rate is None:
        return "–"
    text = f"{100 * rate:.1f}".removesuffix(".0")
    return f"{text.replace('.', ',') if (get_language() or '').startswith('fr') else text}\u00a0%"


@register.filter
def refused_words(code: str) -> str:
    """Why something was refused."""
    return refusal_words(code)


@register.filter
def of(counts: dict[str, int], name: str) -> int:
    """One count by its name."""
    return counts.get(name, 0)
