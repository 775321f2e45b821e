"""How gunicorn reads requests for this product: `gunicorn --config python:config.serving config.wsgi:application`."""

from typing import Any

_ONCE = frozenset({"IDEMPOTENCY-KEY", "IF-MATCH", "AUTHORIZATION"})


def pre_request(worker: Any, request: Any) -> None:
    """A header that has one meaning and was sent twice arrives as one value with a blank in it, which none may hold.

    The gateway interface would join the two by a comma alone, and a comma may stand in an honest key.
    """
    seen: dict[str, str] = {}
    kept = []
    for name, value in request.headers:
        if name not in _ONCE:
            kept.append((name, value))
        else:
            seen[name] = f"{seen[name]} , {value}" if name in seen else value
    request.headers = [*kept, *seen.items()]
