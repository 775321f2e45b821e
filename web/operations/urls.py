"""Addresses of the operators' page and of the journal."""

from django.urls import path

from web.operations import holding_back, journal, pages, webhooks

urlpatterns = [
    path("operations/", pages.operations, name="operations"),
    path("operations/admissions/", pages.switch, name="switch"),
    path("operations/circuits/", holding_back.close_circuit, name="close-circuit"),
    path("operations/comparisons/", holding_back.compare, name="compare-with-targets"),
    path("operations/resumptions/", holding_back.resume, name="resume-handover"),
    path("operations/webhooks/", webhooks.webhooks, name="webhooks"),
    path("operations/webhooks/additions/", webhooks.add, name="add-webhook"),
    path("operations/webhooks/<str:number>/", webhooks.log, name="webhook"),
    path("operations/webhooks/<str:number>/ends/", webhooks.end, name="end-webhook"),
    path("operations/webhooks/<str:number>/<str:notice>/replays/", webhooks.replay, name="replay-notice"),
    path("journal/", journal.entries, name="journal"),
    path("journal/export/", journal.export, name="export-journal"),
    path("journal/verifications/", journal.verifications, name="verifications"),
]
