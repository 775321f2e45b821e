"""The catalogue: what this caller may propose."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from proposals import catalogue
from proposals.contracts import Contract, contract_of
from proposals.models import ContractVersion
from web.api import examples
from web.api.answers import UNCHANGED, answers, granted, header
from web.api.doors import Door, unchanged
from web.api.errors import not_found
from web.api.parsing import malformed, parameters

_NAME = OpenApiParameter("name", str, OpenApiParameter.PATH, description="Exact name of the tool.")
_TAGS = (
    OpenApiParameter("If-None-Match", str, OpenApiParameter.HEADER, description="An ETag read before."),
    header("ETag", "Of what is served; for `If-None-Match`.", 200, 304),
)


class Tools(Door):
    """`GET /tools`."""

    @extend_schema(
        operation_id="list_tools",
        summary="What this caller may propose",
        parameters=[
            OpenApiParameter("format", str, enum=sorted(catalogue.SHAPES), description="Default: native."),
            *_TAGS,
        ],
        responses=answers({200: granted("Tools", "By name.", 200, native=examples.TOOLS), 304: UNCHANGED}),
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

    @extend_schema(
        operation_id="get_tool",
        summary="One contract, its public part",
        parameters=[_NAME, *_TAGS],
        responses=answers(
            {200: granted("Tool", "The active version.", 200, native=examples.TOOL), 304: UNCHANGED}, "not_found"
        ),
    )
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
        parameters=[_NAME, *_TAGS],
        responses=answers({200: OpenApiResponse({"type": "object"}, "JSON Schema."), 304: UNCHANGED}, "not_found"),
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
