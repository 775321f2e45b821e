"""Addresses of the desk."""

from django.urls import path

from web.support import acts, pages

urlpatterns = [
    path("reconciliation/", pages.desk, name="desk"),
    path("reconciliation/<str:public_id>/", pages.case, name="desk-case"),
    path("reconciliation/<str:public_id>/ownership/", acts.ownership, name="ownership"),
    path("reconciliation/<str:public_id>/probes/", acts.probes, name="probes"),
    path("reconciliation/<str:public_id>/evidence/", acts.evidence, name="evidence"),
    path("reconciliation/<str:public_id>/conclusions/", acts.conclusions, name="conclusions"),
    path("reconciliation/<str:public_id>/seconds/", acts.seconds, name="seconds"),
    path("reconciliation/<str:public_id>/closings/", acts.closings, name="closings"),
    path("reconciliation/<str:public_id>/lifts/", acts.lifts, name="lifts"),
    path("reconciliation/<str:public_id>/attempts/", acts.attempts, name="attempts"),
]
