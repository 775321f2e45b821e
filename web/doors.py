"""The two kinds of door for people: pages, which change nothing whoever fetches them, and acts, which are POSTs."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tenancy.models import User

View = Callable[..., HttpResponse]

_READING = re.compile(r"^\s*(SELECT|WITH|SAVEPOINT|RELEASE SAVEPOINT|ROLLBACK TO SAVEPOINT|SHOW|FETCH)\b", re.I)
_WRITING_WORD = re.compile(r"\b(INSERT\s+INTO|UPDATE\s+[\w\"]+\s+SET|DELETE\s+FROM|TRUNCATE|NEXTVAL)\b", re.I)


class WroteWhileReading(RuntimeError):
    """A page tried to change the database; pages only read."""


@contextmanager
def reading_only() -> Iterator[None]:
    """While it is open, any statement but a read raises WroteWhileReading before it reaches the database."""
    with connection.execute_wrapper(_refuse_writes):
        yield


def _refuse_writes(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
    text = sql if isinstance(sql, str) else str(sql)
    if not _READING.match(text) or _WRITING_WORD.search(text):
        raise WroteWhileReading(f"{WroteWhileReading.__doc__} {text[:200]}")
    return execute(sql, params, many, context)


def page(view: View) -> View:
    """A page for a signed-in person: GET and HEAD only, changes nothing, is not kept by caches."""

    @never_cache
    @require_safe
    @wraps(view)
    def wrapper(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        with reading_only():
            return view(request, *args, **kwargs)

    return wrapper


def act(view: View) -> View:
    """An act of a signed-in person: POST with a CSRF token. Anything else is answered 405 and changes nothing.

    A person whose session ended signs in and comes back to the page the act belongs to, never to the act.
    """

    @never_cache
    @wraps(view)
    def wrapper(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        page_of_act = request.path.rstrip("/").rsplit("/", 1)[0] + "/"
        if request.method != "POST":
            answer = render(request, "only_posts.html", {"page_of_act": page_of_act}, status=405)
            answer["Allow"] = "POST"
            return answer
        if not request.user.is_authenticated:
            return redirect_to_login(page_of_act)
        return view(request, *args, **kwargs)

    return wrapper


def person(request: HttpRequest) -> User:
    """The signed-in person; `page` and `act` let nobody else in."""
    assert isinstance(request.user, User)
    return request.user


def plain(text: str) -> str:
    """Text of an address that a database can be asked for; Http404 for what no row can hold."""
    if "\x00" in text:
        raise Http404
    return text


def see_other(address: str) -> HttpResponse:
    """After an act, the page that shows what became of it (a reload repeats nothing)."""
    answer = redirect(address)
    answer.status_code = 303
    return answer
