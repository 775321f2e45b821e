"""Every address of the agents' door, below `/api/v1/`."""

from django.urls import path, re_path

from web.api import documents
from web.api.callbacks import Callbacks
from web.api.doors import Nowhere
from web.api.proposals import OneProposal, OneRevision, Proposals, Revisions, Withdrawal
from web.api.tools import Tool, Tools, ToolSchema
from web.toolcalls.views import ToolCalls

urlpatterns = [
    path("tools", Tools.as_view()),
    path("tools/<str:name>", Tool.as_view()),
    path("tools/<str:name>/schema", ToolSchema.as_view()),
    path("tool-calls", ToolCalls.as_view(), name="api-tool-calls"),
    path("proposals", Proposals.as_view(), name="api-proposals"),
    path("proposals/<str:public_id>", OneProposal.as_view(), name="api-proposal"),
    path("proposals/<str:public_id>/revisions", Revisions.as_view()),
    path("proposals/<str:public_id>/revisions/<str:number>", OneRevision.as_view()),
    path("proposals/<str:public_id>/withdrawal", Withdrawal.as_view()),
    path("callbacks/<str:system>", Callbacks.as_view()),
    path("schema", documents.schema, name="api-schema"),
    path("docs/", documents.page, name="api-docs"),
    re_path(r"^.*$", Nowhere.as_view()),
]
