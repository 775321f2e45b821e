"""What every address of the agents' door has in common: JSON only, a request id, nothing kept by caches."""

import re
import uuid
from collections.abc import Iterable
from typing import Any, cast

from django.http import HttpRequest
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView
from structlog.contextvars import get_contextvars

from approvals.refusals import Refusal
from tenancy.access import Caller
from web.api.errors import not_found
from web.api.resources import language_of

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class JSONOnly(BaseContentNegotiation):
    """This door speaks JSON whatever is asked for, so that a refusal is readable too."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser:
        """The strict parser for `application/json`; raises Refusal for anything else."""
        kind = (request.content_type or "").split(";")[0].strip().lower()
        for parser in parsers:
            if parser.media_type == kind:
                return parser
        raise Refusal("unsupported_media_type", detail="Send Content-Type: application/json.")

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """The first renderer, always."""
        first = next(iter(renderers))
        return first, str(first.media_type)


class Door(APIView):
    """An address of this door."""

    content_negotiation_class = JSONOnly
    request_id = ""

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        """Every request has an id: the one under which it stands in the log, if it is plain, or a new one."""
        logged = str(get_contextvars().get("request_id", ""))
        self.request_id = logged if _REQUEST_ID.fullmatch(logged) else uuid.uuid4().hex
        return super().initialize_request(request, *args, **kwargs)

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Response:
        """The id and the language stand in the headers, and nothing is stored on the way."""
        answer: Response = super().finalize_response(request, response, *args, **kwargs)
        answer["X-Request-ID"] = self.request_id
        answer.headers.setdefault("Cache-Control", "no-store")
        answer["Content-Language"] = self.language
        answer["Vary"] = "Accept-Language, Authorization"
        return answer

    @property
    def caller(self) -> Caller:
        """The authenticated agent."""
        return cast(Caller, self.request.auth)

    @property
    def language(self) -> str:
        """The language of the sentences."""
        return language_of(self.request.headers.get("Accept-Language", ""))


class Nowhere(Door):
    """Every other address under this door: the same 404 as for what is foreign."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Who calls is established first; then there is nothing here."""
        super().initial(request, *args, **kwargs)
        raise not_found()


def unchanged(request: Request, tag: str) -> bool:
    """Whether `If-None-Match` names what the caller has already."""
    given = request.headers.get("If-None-Match", "")
    return given.strip() == "*" or tag in {one.strip().removeprefix("W/") for one in given.split(",")}
