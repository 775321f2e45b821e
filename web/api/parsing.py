"""Reads requests strictly: one JSON value with one meaning, headers and parameters with exact values, or a refusal."""

import re
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from approvals.refusals import Refusal
from proposals.arguments import Malformed, parse_json

MAX_BODY = 256 * 1024
_DRAINED = 8 * 1024 * 1024  # read and dropped, so that a client that still writes can read the answer
_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_REVISION_TAG = re.compile(r'"([1-9][0-9]{0,8})(?:\.[0-9a-f]+)?"')
_IDENTIFIER = re.compile(r"P-([1-9][0-9]{0,17})")
MAX_WAIT = 30.0
_EXPECTED = {
    "json": "one strict JSON value",
    "charset": "UTF-8",
    "header": "a header as the documentation describes it",
    "query": "a parameter as the documentation describes it",
}


def malformed(detail: str, *, pointer: str = "", keyword: str = "json", raw: bytes = b"") -> Refusal:
    """A 400 that says where and why; `raw` is kept for the journal, never repeated to the caller."""
    errors = ({"pointer": pointer, "keyword": keyword, "expected": _EXPECTED[keyword], "received": ""},)
    return Refusal("malformed_request", detail=detail, errors=errors, raw=raw)


class StrictJSONParser(BaseParser):
    """`application/json` in UTF-8, at most 256 KiB, no duplicate keys, nothing repaired."""

    media_type = "application/json"

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Return the value; raises Refusal `malformed_request` or `too_large`."""
        _require_utf8(media_type or "")
        raw = _read(stream)
        try:
            return parse_json(raw)
        except Malformed as error:
            raise malformed(error.detail, pointer=error.pointer, raw=raw) from error


def _require_utf8(media_type: str) -> None:
    charset = re.search(r"charset\s*=\s*\"?([^\s\";]+)", media_type, re.IGNORECASE)
    if charset and charset.group(1).lower() not in ("utf-8", "utf8"):
        raise malformed("JSON travels in UTF-8 only.", keyword="charset")


def _read(stream: IO[bytes]) -> bytes:
    raw = stream.read(MAX_BODY + 1)
    if len(raw) <= MAX_BODY:
        return raw
    dropped = len(raw)
    while dropped < _DRAINED and (piece := stream.read(65_536)):
        dropped += len(piece)
    raise Refusal("too_large", detail=f"A body holds at most {MAX_BODY} bytes.", raw=raw[:2_000])


def idempotency_key(request: Request) -> str | None:
    """The `Idempotency-Key`, 1 to 255 visible ASCII characters, or None when the header is absent.

    A header that was sent twice arrives here with a blank in it (config.serving): which one is meant is unknown.
    """
    value = request.headers.get("Idempotency-Key")
    if value is None:
        return None
    if not _KEY.fullmatch(value):
        detail = "Idempotency-Key is sent once, with 1 to 255 visible ASCII characters."
        raise malformed(detail, keyword="header")
    return value


def proposal_number(public_id: str) -> int | None:
    """42 for `P-42`; None for anything else."""
    found = _IDENTIFIER.fullmatch(public_id)
    return int(found.group(1)) if found else None


def revision_expected(request: Request) -> int:
    """The revision named in `If-Match`: `"3"`, or the ETag of a GET. Raises Refusal 428 when it names none."""
    value = request.headers.get("If-Match")
    if value is None or value.strip() == "*":
        detail = 'Name the revision you mean to replace: If-Match: "1".'
        raise Refusal("precondition_required", detail=detail)
    found = _REVISION_TAG.fullmatch(value.strip())
    if found is None:
        raise malformed('If-Match holds one revision in quotes, such as "1".', keyword="header")
    return int(found.group(1))


def parameters(request: Request, *known: str) -> dict[str, str]:
    """The query parameters, each given at most once; raises Refusal for an unknown or repeated one, or a NUL."""
    found: dict[str, str] = {}
    for name, values in request.query_params.lists():
        if name not in known:
            shown = ", ".join(sorted(known)) or "none"
            raise malformed(f"Unknown parameter. Known here: {shown}.", keyword="query")
        if len(values) != 1 or "\x00" in values[0]:
            raise malformed(f"The parameter {name} is given once, as plain text.", keyword="query")
        found[name] = values[0]
    return found


def seconds(text: str) -> float:
    """How long to wait, 0 to 30 s. Raises Refusal."""
    if not re.fullmatch(r"[0-9]{1,3}(?:\.[0-9]{1,3})?", text, re.ASCII) or float(text) > MAX_WAIT:
        raise malformed(f"wait is a number of seconds from 0 to {MAX_WAIT:.0f}.", keyword="query")
    return float(text)


def truth(text: str) -> bool:
    """`true` or `false`. Raises Refusal."""
    if text not in ("true", "false"):
        raise malformed("dry_run is true or false.", keyword="query")
    return text == "true"
