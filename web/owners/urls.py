"""Addresses of the contracts."""

from django.urls import path

from web.owners import pages

urlpatterns = [
    path("contracts/", pages.contracts, name="contracts"),
    path("contracts/<str:name>/<str:version>/", pages.contract, name="contract"),
]
