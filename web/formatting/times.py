"""Instants and spans in the reader's words. Instants arrive in UTC; the zone they are shown in is always named."""

from datetime import datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils.formats import date_format
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


@lru_cache
def zone() -> ZoneInfo:
    """The zone times are shown in."""
    return ZoneInfo(settings.DISPLAY_TIME_ZONE)


def zone_name() -> str:
    """The zone as a person says it: `Paris` for Europe/Paris, `UTC` for UTC."""
    name: str = settings.DISPLAY_TIME_ZONE
    return name.rsplit("/", 1)[-1].replace("_", " ")


def local(moment: datetime) -> datetime:
    """The same instant on the reader's wall."""
    return moment.astimezone(zone())


def clock(moment: datetime, *, seconds: bool = False) -> str:
    """`17:40`, or `17:40:05`."""
    return local(moment).strftime("%H:%M:%S" if seconds else "%H:%M")


def day_and_clock(moment: datetime, *, now: datetime) -> str:
    """`17:40` today, `tomorrow 09:20`, else `3 Dec 2026, 09:20`."""
    days = (local(moment).date() - local(now).date()).days
    if days == 0:
        return clock(moment)
    if days == 1:
        return _("tomorrow %(clock)s") % {"clock": clock(moment)}
    if days == -1:
        return _("yesterday %(clock)s") % {"clock": clock(moment)}
    return full(moment)


def full(moment: datetime, *, seconds: bool = False) -> str:
    """`30 Nov 2026, 17:40`; in French the month is not a proper name: `30 nov 2026`."""
    month = "b" if (get_language() or "").startswith("fr") else "M"
    return f"{date_format(local(moment), f'j {month} Y')}, {clock(moment, seconds=seconds)}"


def span(length: timedelta) -> str:
    """A length of time with two units at most: `5 h 12 min`, `46 min`, `40 s`, `3 days 4 h`."""
    seconds = max(0, int(length.total_seconds()))
    if seconds < _MINUTE:
        return _("%(n)d s") % {"n": seconds}
    if seconds < _HOUR:
        return _("%(n)d min") % {"n": seconds // _MINUTE}
    if seconds < _DAY:
        hours, rest = divmod(seconds // _MINUTE, 60)
        return _("%(h)d h %(m)02d") % {"h": hours, "m": rest} if rest else _("%(n)d h") % {"n": hours}
    days, rest = divmod(seconds // _HOUR, 24)
    whole = ngettext("%(n)d day", "%(n)d days", days) % {"n": days}
    return f"{whole} {_('%(n)d h') % {'n': rest}}" if rest and days < 3 else whole


def ago(moment: datetime, *, now: datetime) -> str:
    """`12 min ago`."""
    return _("%(span)s ago") % {"span": span(now - moment)}


def left(until: datetime, *, now: datetime) -> str:
    """`46 min left`; once past, `ended 3 min ago`."""
    if until <= now:
        return _("ended %(span)s ago") % {"span": span(now - until)}
    return _("%(span)s left") % {"span": span(until - now)}
