"""Asking the product whether all of it works."""

from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, build_opener

_OPENER = build_opener(ProxyHandler({}))  # loopback: a proxy named in the environment must not be asked


def is_ready(base_url: str) -> tuple[bool, str]:
    """Return whether /healthz/ready answers 200, and what it said."""
    try:
        with _OPENER.open(f"{base_url}/healthz/ready", timeout=5) as answer:
            return answer.status == 200, answer.read(4000).decode(errors="replace")
    except HTTPError as error:
        return False, f"{error.code}: {error.read(4000).decode(errors='replace')}"
    except (URLError, OSError) as error:
        return False, str(error)
