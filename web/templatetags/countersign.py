"""The marks of the product's pages: instants, references, an agent's words, statuses."""

import json
from datetime import datetime, timedelta
from typing import Any

from django import template
from django.template import Context
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from web.formatting import statuses, times, unseen

register = template.Library()


def _now(context: Context) -> datetime:
    # Shown only, never compared to decide anything: a page without the database's instant falls back on ours.
    now = context.get("now")
    return now if isinstance(now, datetime) else timezone.now()


@register.simple_tag(takes_context=True)
def moment(context: Context, value: datetime | None, style: str = "day") -> SafeString | str:
    """An instant with its zone: style `day` (17:40 today, else with the date), `full`, `seconds`, `clock`."""
    if value is None:
        return "–"
    words = {
        "day": lambda: times.day_and_clock(value, now=_now(context)),
        "full": lambda: times.full(value, seconds=True),
        "seconds": lambda: times.clock(value, seconds=True),
        "clock": lambda: times.day_and_clock(value, now=_now(context)),
    }[style]()
    bare = style in {"seconds", "clock"}
    return format_html(
        '<time datetime="{}" title="{} {}">{}{}</time>',
        value.isoformat(),
        times.full(value, seconds=True),
        times.zone_name(),
        words,
        "" if bare else f" {times.zone_name()}",
    )


@register.simple_tag(takes_context=True)
def ago(context: Context, value: datetime | None) -> str:
    """`12 min ago`."""
    return times.ago(value, now=_now(context)) if value else "–"


@register.simple_tag(takes_context=True)
def left(context: Context, value: datetime | None) -> str:
    """`46 min left`."""
    return times.left(value, now=_now(context)) if value else "–"


@register.simple_tag(takes_context=True)
def open_for(context: Context, since: datetime) -> str:
    """How long it has been open: `1 h 04`."""
    return times.span(_now(context) - since)


@register.simple_tag
def lasted(since: datetime, until: datetime) -> str:
    """The time between two instants."""
    return times.span(until - since)


@register.filter
def span(value: timedelta | None) -> str:
    """A length of time in words."""
    return times.span(value) if value is not None else "–"


@register.simple_tag(takes_context=True)
def urgency(context: Context, value: datetime | None) -> str:
    """The class of a time-left badge: bad within the hour, warn within two, else none."""
    if value is None:
        return ""
    rest = value - _now(context)
    return "bad" if rest < timedelta(hours=1) else "warn" if rest < timedelta(hours=2) else ""


@register.filter
def reveal(value: Any) -> SafeString:
    """Text from an agent, a person or a business system: inert, unseen characters shown as badges."""
    return unseen.reveal(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


@register.filter
def status_words(status: str) -> str:
    """A status in a reader's words."""
    return str(statuses.words(status))


@register.filter
def status_tone(status: str) -> str:
    """The class of a status badge."""
    return statuses.tone(status)


@register.filter
def verdict_words(verdict: str) -> str:
    """The verdict of a check in a word."""
    return str(statuses.verdict(verdict))


@register.filter
def verdict_tone(verdict: str) -> str:
    """The class of a verdict's badge."""
    return statuses.verdict_tone(verdict)


@register.filter
def pretty(value: Any) -> str:
    """JSON text for reading, every character of it, unescaped."""
    return json.dumps(value, ensure_ascii=False, indent=2)


@register.filter
def short_digest(value: str) -> str:
    """`9f3c84e1…`: enough to compare by eye; the whole stands beside it or one click away."""
    return value.removeprefix("sha256:")[:12] + "…" if value else "–"


@register.filter
def yes_no(value: Any) -> str:
    """`yes`, `no`, or that nobody knows."""
    return _("not known") if value is None else _("yes") if value else _("no")


@register.simple_tag
def error_target(form: Any, name: str, prefix: str) -> str:
    """The id of the field an error is about; reasons and words at the desk stand under the finding chosen."""
    finding = form.data.get("finding", "") if "finding" in form.fields else ""
    return f"{finding}_{name}" if finding and name in ("reason", "words") else f"{prefix}{name}"


@register.simple_tag
def titled(title: str, target: str | None) -> SafeString:
    """A title as HTML, with the target in the face of references."""
    if not target or target not in title:
        return unseen.reveal(title)
    before, _target, after = title.partition(target)
    parts = (unseen.reveal(part) for part in (before, target, after))
    return format_html('{}<span class="ref">{}</span>{}', *parts)


@register.filter
def lower_first(text: str) -> str:
    """The words as the rest of a sentence: `Open a review` after a colon is `open a review`."""
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


@register.filter
def first_sentence(text: str) -> str:
    """The first sentence alone, for a line of a list."""
    return text.split(". ", 1)[0].removesuffix(".")
