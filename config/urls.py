"""Every address of the product."""

from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/v1/", include("web.api.urls")),
    path("", include("web.urls")),
]
