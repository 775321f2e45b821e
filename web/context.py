"""What every page knows: is this the demo, in which zone are times shown, who is reading, what waits for them."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from tenancy.models import User
from web.formatting import times
from web.navigation import Navigation, navigation_of
from web.preferences import THEMES


def house(request: HttpRequest) -> dict[str, Any]:
    """Context of every template.

    `demo` (bool), `product_version`, `zone` (the name of the zone times are shown in), `theme`,
    `other_language` (code and name of the language to switch to), and `nav`, asked for only when it is shown.
    """
    person = getattr(request, "user", None)
    signed_in = person if isinstance(person, User) and person.is_authenticated else None
    theme = signed_in.theme if signed_in else request.COOKIES.get("theme", "")
    here = getattr(request, "LANGUAGE_CODE", settings.LANGUAGE_CODE)[:2]
    return {
        "demo": settings.DEMO,
        "product_version": settings.VERSION,
        "zone": times.zone_name(),
        "theme": theme if theme in THEMES else "",
        "other_language": next(pair for pair in settings.LANGUAGES if pair[0] != here),
        "nav": SimpleLazyObject(lambda: navigation_of(signed_in) if signed_in else Navigation()),
    }
