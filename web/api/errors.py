"""Every refusal of this door as `application/problem+json` (RFC 9457), with a code a program can act on."""

import logging
from typing import Any

from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import OperationalError
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from approvals.refusals import Refusal

MEDIA_TYPE = "application/problem+json"
_RETRY_AFTER = "5"  # seconds
_TITLES = {
    400: "Malformed request",
    401: "Not authenticated",
    403: "Not permitted",
    404: "Not found",
    405: "Method not allowed",
    409: "Conflict",
    412: "Not the current revision",
    413: "Too large",
    415: "Unsupported media type",
    422: "Not acceptable as it is",
    428: "Precondition required",
    429: "Too much at once",
    500: "Server error",
    503: "Not now",
}
_log = logging.getLogger(__name__)


def problem(error: Exception, context: dict[str, Any]) -> Response:
    """The answer to anything raised in a view; what nobody foresaw is logged and tells the caller nothing of inside."""
    refusal = as_refusal(error)
    set_rollback()
    response = Response(body_of(refusal, request_id_of(context)), status=refusal.status, content_type=MEDIA_TYPE)
    if refusal.code == "unauthenticated":
        response["WWW-Authenticate"] = getattr(error, "auth_header", 'Bearer realm="countersign"')
    if refusal.status in (429, 503):
        response["Retry-After"] = str(refusal.extra.get("retry_after", _RETRY_AFTER))
    if isinstance(error, exceptions.MethodNotAllowed):
        response["Allow"] = ", ".join(context["view"].allowed_methods)
    return response


def request_id_of(context: dict[str, Any]) -> str:
    """The id under which this request stands in the log."""
    return getattr(context.get("view"), "request_id", "")


def body_of(refusal: Refusal, request_id: str) -> dict[str, Any]:
    """The members of the problem.

    A 404 has the same bytes for what is missing and what is foreign: its request id stands in the header only.
    """
    return {
        "type": "about:blank",
        "title": _TITLES[refusal.status],
        "status": refusal.status,
        "code": refusal.code,
        "detail": refusal.detail,
        "hint": refusal.hint,
        "retryable": refusal.retryable,
        "errors": [dict(error) for error in refusal.errors],
        "request_id": None if refusal.status == 404 else request_id,
        **refusal.extra,
    }


def as_refusal(error: Exception) -> Refusal:
    """What is answered to anything raised; what nobody foresaw is logged."""
    match error:
        case Refusal():
            return error
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            hint = "Send Authorization: Bearer <token>, with a token that is neither expired nor revoked."
            return Refusal("unauthenticated", detail="A valid agent token is needed.", hint=hint)
        case exceptions.PermissionDenied() | PermissionDenied():
            return Refusal("not_permitted", detail="This is not permitted.")
        case exceptions.NotFound() | Http404():
            return not_found()
        case exceptions.MethodNotAllowed():
            return Refusal("method_not_allowed", detail="This address does not know that method.")
        case exceptions.APIException() | SuspiciousOperation():
            return Refusal("malformed_request", detail="The request is not well formed.")
        case OperationalError():
            _log.warning("the database did not answer in time: %s", error)
            hint = "Send it again with the same Idempotency-Key: what was recorded is then answered, not repeated."
            return Refusal("busy", detail="The server could not do this now.", hint=hint)
    _log.error("unforeseen: %s", type(error).__name__, exc_info=error)
    return Refusal("server_error", detail="The server failed. What was asked may be read back before it is sent again.")


def not_found() -> Refusal:
    """Missing and foreign are one answer."""
    return Refusal("not_found", detail="There is nothing here for this caller.")
