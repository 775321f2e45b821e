"""The catalogue: what this caller may propose."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from proposals import catalogue
from proposals.contracts import Contract, contract_of
from proposals.models import ContractVersion
from web.api.doors import Door, unchanged
from web.api.errors import not_found
from web.api.parsing import malformed, parameters
from web.api.shapes import PROBLEMS, TOOL, TOOLS


class Tools(Door):
    """`GET /tools`."""

    @extend_schema(
        operation_id="list_tools",
        summary="What this caller may propose",
        parameters=[OpenApiParameter("format", str, enum=sorted(catalogue.SHAPES), description="Default: native.")],
        responses={200: TOOLS, **PROBLEMS},
    )
    def get(self, request: Request) -> Response:
        """The tools in one shape, by name, with an ETag."""
        shape = parameters(request, "format").get("format", "native")
        if shape not in catalogue.SHAPES:
            raise malformed(f"format is one of: {', '.join(sorted(catalogue.SHAPES))}.", keyword="query")
        items = catalogue.rendered(catalogue.tools_for(self.caller), shape)
        return _tagged(request, {"tools": items}, catalogue.etag(items))


class Tool(Door):
    """`GET /tools/{name}`."""

    @extend_schema(operation_id="get_tool", summary="One contract, its public part", responses={200: TOOL, **PROBLEMS})
    def get(self, request: Request, name: str) -> Response:
        """The public part of the active version."""
        parameters(request)
        version, contract = _open_to(self, name)
        return _tagged(request, catalogue.native(contract, waiver=version.waiver), contract.digest)


class ToolSchema(Door):
    """`GET /tools/{name}/schema`."""

    @extend_schema(
        operation_id="get_tool_schema",
        summary="The JSON Schema of a contract's arguments",
        responses={200: {"type": "object"}, **PROBLEMS},
    )
    def get(self, request: Request, name: str) -> Response:
        """JSON Schema 2020-12."""
        parameters(request)
        _version, contract = _open_to(self, name)
        schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **contract.arguments}
        return _tagged(request, schema, contract.digest)


def _open_to(door: Door, name: str) -> tuple[ContractVersion, Contract]:
    """What this caller may propose; anything else is not found, whether it exists or not."""
    version = next((one for one in catalogue.tools_for(door.caller) if one.name == name), None)
    if version is None:
        raise not_found()
    return version, contract_of(version)


def _tagged(request: Request, body: Any, digest: str) -> Response:
    tag = f'"{digest}"'
    answer = Response(status=304) if unchanged(request, tag) else Response(body)
    answer["ETag"] = tag
    answer["Cache-Control"] = "private, no-cache"
    return answer
