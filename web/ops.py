"""Operations' doors: liveness, readiness, and the calm page for a refused form."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def refused_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a POST without a valid CSRF token: 403, and nothing was changed."""
    return render(request, "refused_form.html", status=403)
