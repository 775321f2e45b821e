"""The envelope of a submission: its members, their kinds, and what is refused before anything is looked at."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from approvals.examining import Answers, Submission
from approvals.refusals import Refusal
from journal.digests import canonical, sha256
from proposals.arguments import MAX_ERRORS, shown
from proposals.secrets import mask, token
from proposals.shapes import validator_of
from web.api.parsing import malformed

_TEXT = {"type": "string"}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["tool", "arguments"],
    "properties": {
        "tool": {"type": "string", "minLength": 1, "maxLength": 300, "description": "Exact name of the tool."},
        "contract_version": {
            "type": "string",
            "minLength": 1,
            "maxLength": 32,
            "description": "The version that was read; refused when it is not the active one.",
        },
        "arguments": {"type": "object", "description": "What the contract's JSON Schema describes."},
        "suggestion": {"type": "string", "description": "The reason the agent suggests, shown as the agent's words."},
        "facts": {
            "type": "array",
            "description": "Facts that were consulted, each with its source and time.",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["label", "value", "source"],
                "properties": {
                    "label": {"type": "string", "minLength": 1, "maxLength": 200},
                    "value": {"type": ["string", "number", "boolean"]},
                    "source": {"type": "string", "minLength": 1, "maxLength": 500},
                    "observed_at": {"type": "string", "format": "date-time"},
                },
            },
        },
        "session": {
            "type": "string",
            "minLength": 1,
            "maxLength": 255,
            "description": "One conversation; absent, there is one session for each token.",
        },
        "answers": {
            "type": "object",
            "additionalProperties": False,
            "required": ["proposal", "what_changed"],
            "description": "The refused proposal that this one answers.",
            "properties": {
                "proposal": {"type": "string", "pattern": "^P-[1-9][0-9]{0,17}$"},
                "what_changed": {"type": "string", "minLength": 1, "maxLength": 4000},
            },
        },
    },
}
# Arguments of another kind are the contract's to refuse, with its own words.
_JUDGED = {**SCHEMA, "properties": {**SCHEMA["properties"], "arguments": {}}}
_VALIDATOR = validator_of(_JUDGED)


def submission_of(body: Any) -> Submission:
    """The submission in a parsed body; raises Refusal `malformed_request` with its pointers at once, at most fifty."""
    errors = list(islice((error for told in _VALIDATOR.iter_errors(body) for error in _errors(told)), MAX_ERRORS))
    if errors:
        places = ", ".join(error["pointer"] or "the body" for error in errors[:5])
        raise Refusal(
            "malformed_request",
            detail="The body is not a submission.",
            hint=f"Correct {places}.",
            errors=tuple(sorted(errors, key=lambda error: (error["pointer"], error["keyword"]))),
            raw=_spelt(body),
        )
    answers = body.get("answers")
    return Submission(
        tool=body["tool"],
        contract_version=body.get("contract_version"),
        arguments=body["arguments"],
        suggestion=body.get("suggestion", ""),
        facts=tuple(body.get("facts", ())),
        session=body.get("session"),
        answers=Answers(**answers) if answers else None,
    )


def fingerprint(*parts: Any) -> str:
    """The digest of a request's meaning: spaces and the order of keys play no part. Raises Refusal."""
    try:
        return sha256(canonical(list(parts)))
    except ValueError as error:
        raise malformed("The body holds a number that cannot be spelt exactly.") from error


def _spelt(body: Any) -> bytes:
    try:
        return canonical(body)
    except ValueError:  # refused anyway; the journal keeps it as it prints
        return repr(body).encode("utf-8", "replace")


def _errors(told: Any) -> Iterator[dict[str, str]]:
    pointer = "".join(token(mask(str(part))[:200]) for part in told.instance_path)
    keyword, about = told.kind.name, told.kind.as_dict()
    if keyword == "required":
        name = about["property"]
        yield {"pointer": pointer + token(name), "keyword": keyword, "expected": "present", "received": "nothing"}
    elif keyword == "additionalProperties":
        for name in about["unexpected"]:
            place = pointer + token(mask(name)[:200])
            received = shown(told.instance.get(name))
            yield {"pointer": place, "keyword": keyword, "expected": "no such member", "received": received}
    else:
        expected = " or ".join(about["types"]) if keyword == "type" else _bound(keyword, about)
        yield {"pointer": pointer, "keyword": keyword, "expected": expected, "received": shown(told.instance)}


def _bound(keyword: str, about: dict[str, Any]) -> str:
    value = about.get("limit", about.get(keyword))
    return keyword if value is None else f"{keyword} {value}"
