"""The published description of this door: OpenAPI 3.1, and a page to read it offline. Both are public."""

from typing import Any

from csp.decorators import csp_update
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView
from rest_framework.request import Request
from rest_framework.response import Response

from web.api.parsing import parameters

# The one inline style of the page; the hash belongs to the version of drf-spectacular in the lock file.
_STYLE = "'sha256-MMpT0iDxyjALd9PdfepImGX3DBfJPXZ4IlDWdPAgtn0='"


class Schema(SpectacularJSONAPIView):
    """There is one description: a parameter of the address would stand in its headers as it came."""

    authentication_classes = []
    permission_classes = []

    @extend_schema(exclude=True)  # the description does not describe itself
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """The description; raises Refusal for any parameter."""
        parameters(request)
        answer: Response = super().get(request, *args, **kwargs)  # type: ignore[no-untyped-call]  # the package has no types
        return answer


schema = Schema.as_view()
page = csp_update({"style-src": [_STYLE], "img-src": ["data:"]})(
    SpectacularSwaggerSplitView.as_view(url_name="api-schema", authentication_classes=[], permission_classes=[])
)
