"""The published description of this door: OpenAPI 3.1, and a page to read it offline. Both are public."""

from csp.decorators import csp_update
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView

# The one inline style of the page; the hash belongs to the version of drf-spectacular in the lock file.
_STYLE = "'sha256-MMpT0iDxyjALd9PdfepImGX3DBfJPXZ4IlDWdPAgtn0='"

schema = SpectacularJSONAPIView.as_view(authentication_classes=[], permission_classes=[])
page = csp_update({"style-src": [_STYLE], "img-src": ["data:"]})(
    SpectacularSwaggerSplitView.as_view(url_name="api-schema", authentication_classes=[], permission_classes=[])
)
