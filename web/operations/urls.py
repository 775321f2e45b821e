"""Addresses of the operators' page and of the journal."""

from django.urls import path

from web.operations import holding_back, journal, pages

urlpatterns = [
    path("operations/", pages.operations, name="operations"),
    path("operations/admissions/", pages.switch, name="switch"),
    path("operations/circuits/", holding_back.close_circuit, name="close-circuit"),
    path("operations/comparisons/", holding_back.compare, name="compare-with-targets"),
    path("operations/resumptions/", holding_back.resume, name="resume-handover"),
    path("journal/", journal.entries, name="journal"),
    path("journal/verifications/", journal.verifications, name="verifications"),
]
