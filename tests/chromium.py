"""Where a Chromium is on this machine, if there is one."""

import os
import shutil
from functools import cache
from pathlib import Path

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_MACOS = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")


@cache
def find_chromium() -> str | None:
    """Return the path of the browser: CHROMIUM, else the first known name on PATH, else None."""
    given = os.environ.get("CHROMIUM")
    if given:
        return given
    found = next((path for path in map(shutil.which, _NAMES) if path), None)
    return found or (str(_MACOS) if _MACOS.exists() else None)
