"""Address of the figures."""

from django.urls import path

from web.figures import pages

urlpatterns = [path("figures/", pages.figures, name="figures")]
