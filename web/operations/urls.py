"""Addresses of the operators' page and of the journal."""

from django.urls import path

from web.operations import journal, pages

urlpatterns = [
    path("operations/", pages.operations, name="operations"),
    path("operations/admissions/", pages.switch, name="switch"),
    path("journal/", journal.entries, name="journal"),
    path("journal/verifications/", journal.verifications, name="verifications"),
]
