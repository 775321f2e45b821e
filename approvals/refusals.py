"""The answers that create no proposal: a stable code, an English sentence, and what may be done about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from proposals.pacing import Asking

# code → HTTP status, may the same request succeed later without any change
CODES: dict[str, tuple[int, bool]] = {
    "unauthenticated": (401, False),
    "not_permitted": (403, False),
    "not_found": (404, False),
    "unknown_tool": (404, False),
    "target_not_available": (404, False),
    "method_not_allowed": (405, False),
    "invalid_arguments": (422, False),
    "rule_violated": (422, False),
    "idempotency_key_reused": (422, False),
    "contract_version_not_active": (409, False),
    "target_changed": (409, False),
    "already_refused": (409, False),
    "object_fenced": (409, True),
    "proposal_closed": (409, False),
    "loop_detected": (409, False),
    "stale_revision": (412, False),
    "precondition_required": (428, False),
    "malformed_request": (400, False),
    "unsupported_media_type": (415, False),
    "too_large": (413, False),
    "budget_exceeded": (429, True),
    "admissions_stopped": (503, True),
    "target_unreachable": (503, True),
    "busy": (503, True),
    "server_error": (500, True),
}


class Refusal(Exception):
    """A request was refused. `errors` hold pointer, keyword, expected, received; `extra` more members of the answer.

    `technical_reason` and `raw` are for the protected journal and never for the caller. `counts` is the call that is
    counted against its budget although it was refused.
    """

    def __init__(
        self,
        code: str,
        *,
        detail: str,
        hint: str = "",
        errors: tuple[Mapping[str, Any], ...] = (),
        extra: Mapping[str, Any] | None = None,
        technical_reason: str = "",
        raw: bytes = b"",
    ) -> None:
        super().__init__(code)
        self.code = code
        self.status, self.retryable = CODES[code]
        self.detail = detail
        self.hint = hint
        self.errors = errors
        self.extra = dict(extra or {})
        self.technical_reason = technical_reason
        self.raw = raw
        self.counts: Asking | None = None
