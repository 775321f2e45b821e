"""Addresses of the approver's screens."""

from django.urls import path

from web.review import acts, pages, previewing

urlpatterns = [
    path("", pages.inbox, name="inbox"),
    path("proposals/<str:public_id>/", pages.case, name="case"),
    path("proposals/<str:public_id>/check/", pages.check, name="check"),
    path("proposals/<str:public_id>/preview/", previewing.preview, name="preview"),
    path("proposals/<str:public_id>/approvals/", acts.approvals, name="approvals"),
    path("proposals/<str:public_id>/refusals/", acts.refusals, name="refusals"),
    path("proposals/<str:public_id>/change-requests/", acts.change_requests, name="change-requests"),
    path("proposals/<str:public_id>/revocations/", acts.revocations, name="revocations"),
    path("proposals/<str:public_id>/cancellations/", acts.cancellations, name="cancellations"),
    path("proposals/<str:public_id>/comments/", acts.comments, name="comments"),
    path("proposals/<str:public_id>/claims/", acts.claims, name="claims"),
    path("receipts/<str:public_id>/", pages.receipt, name="receipt"),
    path("receipts/<str:public_id>/countersign.json", pages.receipt_file, name="receipt-file"),
]
