"""Addresses of the agents' page."""

from django.urls import path

from web.agents import pages

urlpatterns = [
    path("agents/", pages.agents, name="agents"),
    path("agents/additions/", pages.add, name="add-agent"),
    path("agents/tokens/", pages.mint, name="mint-token"),
    path("agents/revocations/", pages.revoke, name="revoke-token"),
    path("agents/disablements/", pages.disable, name="disable-agent"),
]
