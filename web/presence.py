"""Whether the person at the browser has just proven to be who signed in: by password, code, passkey, or signing in."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.signals import authentication_step_completed
from django.http import HttpRequest
from django.utils.dateparse import parse_datetime
from django.utils.http import urlencode

from journal.clock import now as database_now
from tenancy.models import User

_PROVEN = "present"


@dataclass(frozen=True)
class Way:
    """One way to prove it, in words, and the page that asks for it and comes back."""

    words: str
    address: str


def remember(sender: Any, *, request: HttpRequest, user: User, **about: Any) -> None:
    """A step of signing in, or a renewed proof, was completed: the session keeps whose and when, by the database."""
    request.session[_PROVEN] = [user.pk, database_now().isoformat()]


def proven_at(request: HttpRequest) -> datetime | None:
    """When the signed-in person last proved it in this session; None when it never was, or by somebody else."""
    kept = request.session.get(_PROVEN)
    if not isinstance(kept, list) or len(kept) != 2 or kept[0] != request.user.pk:
        return None
    return parse_datetime(kept[1])


def ways(request: HttpRequest, *, back_to: str) -> list[Way]:
    """How the person can prove it now; none for an account without password, code or passkey."""
    asked = urlencode({"next": back_to})
    methods = get_adapter(request).get_reauthentication_methods(request.user)
    return [Way(str(one["description"]), f"{one['url']}?{asked}") for one in methods]


def listen() -> None:
    """From now on, proofs of presence are remembered."""
    authentication_step_completed.connect(remember, dispatch_uid="web.presence")
