"""Addresses of the contracts."""

from django.urls import path

from web.owners import acts, pages, rehearsing

urlpatterns = [
    path("contracts/", pages.contracts, name="contracts"),
    path("contracts/<str:name>/<str:version>/", pages.contract, name="contract"),
    path("contracts/<str:name>/<str:version>/rehearsals/", acts.rehearse, name="rehearse"),
    path("contracts/<str:name>/<str:version>/activation/", acts.activate, name="activate-contract"),
    path("contracts/<str:name>/<str:version>/capacity/", acts.declare, name="declare-capacity"),
    path("contracts/<str:name>/<str:version>/drills/", acts.drill, name="record-drill"),
    path("rehearsals/<str:number>/", rehearsing.rehearsal, name="rehearsal"),
    path("rehearsals/<str:number>/report.json", rehearsing.report_file, name="rehearsal-report"),
]
