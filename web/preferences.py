"""A person's language, theme and shortcuts: each is kept on the person, or in a cookie before signing in."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import translation
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from tenancy.models import User

THEMES = ("", "light", "dark")


class PersonalLanguageMiddleware:
    """Speaks the language a signed-in person chose, on whatever browser; the API listens to its header alone."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path.startswith(("/api/", "/healthz/", "/static/")):
            chosen = getattr(request.user, "language", "")
            if chosen in dict(settings.LANGUAGES):
                translation.activate(chosen)
                request.LANGUAGE_CODE = chosen
        return self.get_response(request)


def _back(request: HttpRequest) -> HttpResponseRedirect:
    address = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(address, {request.get_host()}, require_https=request.is_secure())
    answer = HttpResponseRedirect(address if safe else "/")
    answer.status_code = 303
    return answer


def _keep(request: HttpRequest, **choice: str | bool) -> None:
    if isinstance(request.user, User):
        User.objects.filter(pk=request.user.pk).update(**choice)


@require_POST
def language(request: HttpRequest) -> HttpResponse:
    """The pages speak the chosen language from now on; the person stays on the same page."""
    chosen = request.POST.get("language", "")
    answer = _back(request)
    if chosen in dict(settings.LANGUAGES):
        _keep(request, language=chosen)
        answer.set_cookie(
            settings.LANGUAGE_COOKIE_NAME, chosen, max_age=31_536_000, samesite="Lax", secure=settings.SECURE
        )
    return answer


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """The pages are light, dark, or as the person's machine says."""
    chosen = request.POST.get("theme", "")
    answer = _back(request)
    if chosen in THEMES:
        _keep(request, theme=chosen)
        answer.set_cookie("theme", chosen, max_age=31_536_000, samesite="Lax", secure=settings.SECURE)
    return answer


@require_POST
def shortcuts(request: HttpRequest) -> HttpResponse:
    """Single-key shortcuts are on or off for this person."""
    _keep(request, shortcuts=request.POST.get("shortcuts") == "on")
    return _back(request)
