"""What every page knows: is this the demo, in which zone are times shown."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest


def house(request: HttpRequest) -> dict[str, Any]:
    """Context of every template: `demo` (bool), `version`, `zone` (name of the zone times are shown in)."""
    return {"demo": settings.DEMO, "version": settings.VERSION, "zone": settings.DISPLAY_TIME_ZONE}
