"""Every answer an address may give, for the OpenAPI document: what it grants, and each refusal with an example."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse

from approvals.refusals import CODES, Refusal
from web.api.errors import MEDIA_TYPE, body_of
from web.api.shapes import ref

# Whatever is asked, the caller is authenticated first, and the server may fail.
_ALWAYS = ("unauthenticated", "malformed_request", "busy", "server_error")
BODY = ("unsupported_media_type", "too_large")
SUBMITTING = (
    *BODY,
    "not_permitted",
    "unknown_tool",
    "target_not_available",
    "contract_version_not_active",
    "target_changed",
    "already_refused",
    "object_fenced",
    "loop_detected",
    "invalid_arguments",
    "rule_violated",
    "idempotency_key_reused",
    "budget_exceeded",
    "admissions_stopped",
    "target_unreachable",
)

_SAID: Mapping[str, str] = {
    "unauthenticated": "A valid agent token is needed.",
    "not_permitted": "The person this is asked for may not ask for ouvrir_revue_dossier with this token.",
    "not_found": "There is nothing here for this caller.",
    "unknown_tool": "There is no such tool.",
    "target_not_available": "The target is not available to this caller.",
    "method_not_allowed": "This address does not know that method.",
    "invalid_arguments": "The arguments do not fit the contract.",
    "rule_violated": "A rule of the contract does not hold.",
    "idempotency_key_reused": "This Idempotency-Key was used for another request.",
    "contract_version_not_active": "The active version of ouvrir_revue_dossier is 2.",
    "target_changed": "D-42 is at version 8 now; this was prepared for version 7.",
    "already_refused": "The same question was refused as P-41.",
    "object_fenced": "The outcome of I-41 on D-42 is not established yet.",
    "proposal_closed": "It was handed over, or it has ended.",
    "loop_detected": "The same call came again and again in this session, and nothing was decided meanwhile.",
    "stale_revision": "Revision 2 is the current one.",
    "precondition_required": 'Name the revision you mean to replace: If-Match: "1".',
    "malformed_request": "The body is not strict JSON.",
    "unsupported_media_type": "Send Content-Type: application/json.",
    "too_large": "A body holds at most 262144 bytes.",
    "budget_exceeded": "The budget of 60/h that ouvrir_revue_dossier grants this agent is spent.",
    "admissions_stopped": "Admissions are stopped for this tool at the moment. Nothing was recorded.",
    "target_unreachable": "The business system does not show the target at the moment. Nothing was recorded.",
    "busy": "The server could not do this now.",
    "server_error": "The server failed. What was asked may be read back before it is sent again.",
}
_MORE: Mapping[str, Mapping[str, Any]] = {
    "stale_revision": {"current_revision": 2},
    "already_refused": {"refused": {"proposal": "P-41", "reason": "NOT_JUSTIFIED"}},
    "budget_exceeded": {"budget": "per_agent", "retry_after": 1200, "retry_at": "2026-03-01T10:00:00.000000Z"},
    "loop_detected": {"loop_length": 1},
}
_FAULTS: Mapping[str, Mapping[str, str]] = {
    "invalid_arguments": {
        "pointer": "/arguments/expected_version",
        "keyword": "type",
        "expected": "integer",
        "received": '"7"',
        "hint": "Send the value itself, of type integer, not a text that spells it.",
    }
}


def answers(granted: Mapping[int, Any], *codes: str) -> dict[Any, Any]:
    """The responses of an operation: what it grants by status, and its refusals by status."""
    told: dict[Any, Any] = dict(granted)
    by_status: dict[int, list[str]] = {}
    for code in (*_ALWAYS, *codes):
        by_status.setdefault(CODES[code][0], []).append(code)
    for status, names in sorted(by_status.items()):
        told[status, MEDIA_TYPE] = _refused(status, names)
    return told


def _refused(status: int, codes: list[str]) -> OpenApiResponse:
    schema = {"allOf": [ref("Problem"), {"properties": {"code": {"enum": codes}, "status": {"const": status}}}]}
    examples = [_example(code, problem_like(code), MEDIA_TYPE, status) for code in codes]
    return OpenApiResponse(schema, description=" · ".join(f"`{code}`" for code in codes), examples=examples)


def problem_like(code: str) -> dict[str, Any]:
    """The problem with this code, as it may look."""
    faults = (_FAULTS[code],) if code in _FAULTS else ()
    refusal = Refusal(code, detail=_SAID[code], errors=faults, extra=_MORE.get(code))
    return body_of(refusal, "5b0d6b1e-2a0e-4f0c-9d53-1f4a9c3c7a55")


def granted(name: str, description: str, status: int, **examples: Any) -> OpenApiResponse:
    """An answer that holds this component, with examples by their names."""
    shown = [_example(title, value, "application/json", status) for title, value in examples.items()]
    return OpenApiResponse(ref(name), description=description, examples=shown)


UNCHANGED = OpenApiResponse(None, description="What `If-None-Match` names is what stands here still.")


def header(name: str, description: str, *statuses: int) -> OpenApiParameter:
    """A header of the answers with these statuses."""
    return OpenApiParameter(name, str, OpenApiParameter.HEADER, response=list(statuses), description=description)


def _example(name: str, value: Any, media_type: str, status: int) -> OpenApiExample:
    return OpenApiExample(name, value, response_only=True, media_type=media_type, status_codes=[str(status)])
