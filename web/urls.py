"""Addresses for people and for those who operate the product."""

from django.urls import include, path

from web import ops, preferences

urlpatterns = [
    path("healthz/live", ops.live, name="live"),
    path("healthz/ready", ops.ready, name="ready"),
    path("preferences/language/", preferences.language, name="language"),
    path("preferences/theme/", preferences.theme, name="theme"),
    path("preferences/shortcuts/", preferences.shortcuts, name="shortcuts"),
    path("accounts/", include("allauth.urls")),
    path("", include("web.review.urls")),
    path("", include("web.support.urls")),
    path("", include("web.owners.urls")),
    path("", include("web.operations.urls")),
    path("", include("web.figures.urls")),
    path("", include("web.agents.urls")),
]
