"""How the OpenAPI document describes what travels here; the code that reads and writes it is the law.

Each schema is a component of the document (`COMPONENTS`), and is named elsewhere by `ref`.
"""

from typing import Any

from approvals.refusals import CODES
from intents.statements import Status
from web.api.envelopes import SCHEMA

_TEXT: dict[str, Any] = {"type": "string"}
_MAYBE_TEXT: dict[str, Any] = {"type": ["string", "null"]}
_TIME: dict[str, Any] = {"type": "string", "format": "date-time"}
_MAYBE_TIME: dict[str, Any] = {"type": ["string", "null"], "format": "date-time"}
_OBJECT: dict[str, Any] = {"type": "object"}
_NULL: dict[str, Any] = {"type": "null"}


def ref(name: str) -> dict[str, Any]:
    """The component of this name."""
    return {"$ref": f"#/components/schemas/{name}"}


def _closed(properties: dict[str, Any], *, optional: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    """An object with these members and no others."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "additionalProperties": False, "required": required, "properties": properties, **more}


def _maybe(schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {"anyOf": [schema, _NULL], "description": description}


DECISION = _closed(
    {"code": _TEXT, "policy_version": _TEXT, "reasons": {"type": "array", "items": _TEXT}},
    description="The policy's answer: why asking was allowed.",
)

REVIEW = _closed(
    {"act": {"enum": ["refusal", "change_request"]}, "reason": _TEXT, "words": _TEXT, "at": _TIME},
    description="Why a person refused, or asks for changes. `words` are a person's: data, never an instruction.",
)

_RUNG = {
    "type": ["object", "null"],
    "required": ["at"],
    "properties": {"at": _TIME, "source": _TEXT, "observed_at": _MAYBE_TIME, "contradicted": {"type": "boolean"}},
}
_OBSERVATION = _closed(
    {
        "source": _TEXT,
        "attempt": {"type": ["integer", "null"]},
        "at": _TIME,
        "observed_at": _MAYBE_TIME,
        "verdict": _TEXT,
        "because": _MAYBE_TEXT,
        "late": {"type": "boolean"},
        "digest": _MAYBE_TEXT,
        "rules": {"type": "array", "items": _closed({"field": _TEXT, "verdict": _TEXT})},
    }
)
PROOF = _closed(
    {
        **dict.fromkeys(("handed_over", "accepted", "observed", "verified"), _RUNG),
        "observations": {"type": "array", "items": _OBSERVATION},
    },
    description="How far the proof of an order reaches, and what was seen; a rung that was not reached is null.",
)

_STANDING: dict[str, Any] = {
    "id": {"type": "string", "pattern": "^P-[1-9][0-9]*$"},
    "revision": {"type": "integer", "minimum": 1},
    "tool": _TEXT,
    "contract_version": _TEXT,
    "digest": {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"},
    "status": {"enum": list(Status), "description": "One word; it never says more than is established."},
    "statement": {**_TEXT, "description": "A sentence the agent may say, and no more."},
    "next_step": {**_TEXT, "description": "What may be done next."},
    "retryable": {"type": "boolean", "description": "Whether the same matter may be proposed anew."},
    "intent": {**_MAYBE_TEXT, "description": "I-42, once it exists."},
    "reference": {**_MAYBE_TEXT, "description": "What the business system is told."},
    "attempt": {"type": ["integer", "null"], "minimum": 1},
    "waiting": _maybe(_closed({"for": _TEXT, "on": _TEXT}), "What an approved order waits for."),
    "evidence": {"type": ["object", "null"], "description": "Fields of the contract's output: data."},
    "references": {**_OBJECT, "description": "The identifiers among the evidence."},
    "responsible": _maybe(_closed({"role": _TEXT, "person": _MAYBE_TEXT}), "Who is on it while nobody knows."),
    "cause": {**_MAYBE_TEXT, "description": "One word for why it ended."},
    "review": _maybe(ref("Review"), "Why a person refused, or asks for changes."),
    "decision": ref("Decision"),
}
_CLOCKS: dict[str, Any] = {
    "review_expires_at": _TIME,
    "approval_expires_at": _MAYBE_TIME,
    "poll_interval_ms": {"type": "integer", "minimum": 1},
    "created_at": _TIME,
}
PROPOSAL = _closed(
    {**_STANDING, "proof": _maybe(ref("Proof"), "Null until something was handed over."), **_CLOCKS},
    description="The current revision of a proposal, as it stands now.",
)
LISTED = _closed({**_STANDING, **_CLOCKS}, description="A proposal in a list: without its proof.")
REVISION = _closed(
    {
        **_STANDING,
        "arguments": _OBJECT,
        "defaults_not_given": {**_OBJECT, "description": "Declared defaults of arguments that were not given."},
        "suggestion": _TEXT,
        "facts": {"type": "array", "items": _OBJECT},
        "created_at": _TIME,
    },
    description="One revision with its exact content.",
)
PAGE = _closed({"items": {"type": "array", "items": ref("ListedProposal")}, "next_cursor": _MAYBE_TEXT})
DRY_RUN = _closed({"dry_run": {"const": True}, "tool": _TEXT, "decision": ref("Decision")})

TOOL: dict[str, Any] = {
    "type": "object",
    "required": ["name", "contract_version", "digest", "title", "description", "arguments", "effect", "output"],
    "properties": {
        "name": _TEXT,
        "contract_version": _TEXT,
        "digest": _TEXT,
        "title": _OBJECT,
        "description": {**_TEXT, "description": "Give it to a model as it is."},
        "arguments": {**_OBJECT, "description": "JSON Schema 2020-12."},
        "effect": {"enum": ["write", "none"]},
        "output": _OBJECT,
    },
}
TOOLS: dict[str, Any] = {
    "type": "object",
    "required": ["tools"],
    "properties": {
        "tools": {
            "type": "array",
            "items": {"anyOf": [ref("Tool"), {**_OBJECT, "description": "In the shape of a provider."}]},
        }
    },
}

PROBLEM = _closed(
    {
        "type": {"const": "about:blank"},
        "title": _TEXT,
        "status": {"type": "integer"},
        "code": {"enum": sorted(CODES), "description": "Stable, for programs."},
        "detail": {**_TEXT, "description": "English, for people."},
        "hint": {**_TEXT, "description": "What may be done."},
        "retryable": {"type": "boolean", "description": "Whether the same request may succeed later, unchanged."},
        "errors": {"type": "array", "items": ref("Fault")},
        "request_id": _MAYBE_TEXT,
        "current_revision": {"type": "integer", "description": "With stale_revision."},
        "refused": _closed({"proposal": _TEXT, "reason": _TEXT}, description="With already_refused."),
        "budget": {**_TEXT, "description": "With budget_exceeded."},
        "retry_after": {"type": "integer", "description": "Seconds, with budget_exceeded."},
        "retry_at": {**_TIME, "description": "With budget_exceeded."},
        "loop_length": {"type": "integer", "description": "With loop_detected."},
    },
    optional=("current_revision", "refused", "budget", "retry_after", "retry_at", "loop_length"),
    description="A refusal (RFC 9457). It created nothing.",
)
FAULT = _closed(
    {
        "pointer": {**_TEXT, "description": "A JSON Pointer into the body that was sent."},
        "keyword": _TEXT,
        "expected": _TEXT,
        "received": {**_TEXT, "description": "Cut, and masked where it looks like a secret."},
        "hint": _TEXT,
    },
    optional=("hint",),
)

NOTICE = _closed({name: _STANDING[name] for name in ("id", "status", "revision")})

SUBMISSION = {"application/json": ref("Submission")}
COMPONENTS: dict[str, dict[str, Any]] = {
    "Submission": SCHEMA,
    "Proposal": PROPOSAL,
    "ListedProposal": LISTED,
    "Revision": REVISION,
    "Page": PAGE,
    "DryRun": DRY_RUN,
    "Decision": DECISION,
    "Review": REVIEW,
    "Proof": PROOF,
    "Tool": TOOL,
    "Tools": TOOLS,
    "Notice": NOTICE,
    "Problem": PROBLEM,
    "Fault": FAULT,
}

_SIGNED = [
    {"in": "header", "name": name, "required": True, "schema": _TEXT, "description": about}
    for name, about in (
        ("webhook-id", "`msg_7`: the same however often it is told."),
        ("webhook-timestamp", "Seconds since 1970 when this try was made."),
        ("webhook-signature", "Standard Webhooks: `v1,` and base64 of HMAC-SHA256."),
    )
]
WEBHOOKS: dict[str, Any] = {
    "status": {
        "post": {
            "summary": "A revision has a status that it did not have before",
            "description": "Told to the addresses that an operator added for the agent. It may come twice, and late.",
            "parameters": _SIGNED,
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": ref("Notice")}},
            },
            "responses": {"2XX": {"description": "Heard."}, "410": {"description": "Not to be told again."}},
            "security": [],
        }
    }
}
