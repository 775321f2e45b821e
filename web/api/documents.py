"""The published description of this door: OpenAPI 3.1, and a page to read it offline. Both are public."""

from typing import Any

from csp.decorators import csp_update
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView
from rest_framework.request import Request
from rest_framework.response import Response

from web.api.parsing import parameters
from web.api.shapes import COMPONENTS, WEBHOOKS

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


def complete(result: dict[str, Any], **_about: Any) -> dict[str, Any]:
    """The document with what no single address says: the components, what is sent to others, and what is common."""
    document = result
    document["components"].setdefault("schemas", {}).update(COMPONENTS)
    document["info"]["description"] = _ABOUT
    document["webhooks"] = WEBHOOKS
    document["info"]["license"] = {"name": "Apache-2.0", "identifier": "Apache-2.0"}
    return document


_ABOUT = """An agent *proposes*; it never acts. A policy answers at once, people sign, the server hands over once, and
what is established is read here, in one word and in a sentence that the agent may say.

Every answer carries `X-Request-ID`. Every refusal is `application/problem+json` with a `code`; it created nothing.
"""

schema = Schema.as_view()
page = csp_update({"style-src": [_STYLE], "img-src": ["data:"]})(
    SpectacularSwaggerSplitView.as_view(url_name="api-schema", authentication_classes=[], permission_classes=[])
)
