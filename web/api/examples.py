"""Examples of the OpenAPI document. A test holds each of them to its schema."""

from typing import Any

SUBMISSION: dict[str, Any] = {
    "tool": "ouvrir_revue_dossier",
    "contract_version": "2",
    "arguments": {"dossier_ref": "D-42", "expected_version": 7, "reason_code": "DONNEE_A_VERIFIER"},
    "suggestion": "The amount on the last invoice does not match the order.",
    "facts": [
        {
            "label": "Invoice total",
            "value": "1 250,00 EUR",
            "source": "invoice F-2026-118",
            "observed_at": "2026-03-01T09:30:00Z",
        }
    ],
}

DECISION: dict[str, Any] = {
    "code": "allowed",
    "policy_version": "a9122e02db95+1",
    "reasons": [
        "The person this is asked for is case_manager.",
        "D-42 is in scope A.",
        "The file must be active.",
    ],
}
_LISTED: dict[str, Any] = {
    "id": "P-42",
    "revision": 1,
    "tool": "ouvrir_revue_dossier",
    "contract_version": "2",
    "digest": "sha256:7b44a5b761fe07514143b923b02808395898740f6e13085274fab3ddc738d2cd",
    "status": "awaiting_approval",
    "statement": "The request was received and awaits approval. Nothing was sent.",
    "next_step": "Wait for the decision. Do not send it again.",
    "retryable": False,
    "intent": None,
    "reference": None,
    "attempt": None,
    "waiting": None,
    "evidence": None,
    "references": {},
    "responsible": None,
    "cause": None,
    "review": None,
    "decision": DECISION,
    "review_expires_at": "2026-03-02T09:30:00.000000Z",
    "approval_expires_at": None,
    "poll_interval_ms": 2000,
    "created_at": "2026-03-01T09:30:00.000000Z",
}
AWAITING: dict[str, Any] = {**_LISTED, "proof": None}
_SEEN = {
    "at": "2026-03-01T09:41:00.241120Z",
    "source": "answer",
    "observed_at": "2026-03-01T09:41:00.241120Z",
    "contradicted": False,
}
CONFIRMED: dict[str, Any] = {
    **_LISTED,
    "status": "confirmed",
    "statement": "Request R-98 was created on D-42.",
    "next_step": "Nothing more to do.",
    "intent": "I-42",
    "reference": "ecc12acf-a5cd-408e-b845-77e872181678",
    "attempt": 1,
    "evidence": {"request_ref": "R-98", "dossier_ref": "D-42", "reason_code": "DONNEE_A_VERIFIER"},
    "references": {"request_ref": "R-98"},
    "approval_expires_at": "2026-03-01T10:10:59.704703Z",
    "proof": {
        "handed_over": {"at": "2026-03-01T09:41:00.204703Z"},
        "accepted": _SEEN,
        "observed": _SEEN,
        "verified": _SEEN,
        "observations": [
            {
                "source": "answer",
                "attempt": 1,
                "at": "2026-03-01T09:41:00.241120Z",
                "observed_at": "2026-03-01T09:41:00.241120Z",
                "verdict": "proves",
                "because": "proven",
                "late": False,
                "digest": "sha256:0c5b0fd4b0f3a0a7d0b41fdb57e8b4a2ab4a4ee7c8a1e1b9f1f64f0f0c7d5f3a",
                "rules": [{"field": "request_ref", "verdict": "holds"}],
            }
        ],
    },
}
UNKNOWN: dict[str, Any] = {
    **CONFIRMED,
    "status": "outcome_unknown",
    "statement": "The request was handed over, and nobody knows yet whether it took effect. "
    "The role “support” is responsible; nobody has taken it yet.",
    "next_step": "Do not send it again, in any form. Say that the outcome is not known yet, and who is responsible.",
    "evidence": None,
    "references": {},
    "responsible": {"role": "support", "person": None},
    "cause": "deadline",
    "proof": {
        **CONFIRMED["proof"],
        "accepted": None,
        "observed": None,
        "verified": None,
        "observations": [],
    },
}
WITHDRAWN: dict[str, Any] = {
    **AWAITING,
    "status": "withdrawn",
    "statement": "The request was withdrawn. Nothing was sent.",
    "next_step": "Nothing more to do.",
    "cause": "withdrawn",
}
PAGE: dict[str, Any] = {"items": [_LISTED], "next_cursor": "42"}
DRY_RUN: dict[str, Any] = {"dry_run": True, "tool": "ouvrir_revue_dossier", "decision": DECISION}
REVISION: dict[str, Any] = {
    **{
        name: value
        for name, value in _LISTED.items()
        if name not in ("review_expires_at", "approval_expires_at", "poll_interval_ms")
    },
    "arguments": SUBMISSION["arguments"],
    "defaults_not_given": {},
    "suggestion": SUBMISSION["suggestion"],
    "facts": SUBMISSION["facts"],
}
TOOL: dict[str, Any] = {
    "name": "ledger_ping",
    "contract_version": "1",
    "digest": "sha256:5d44a5b761fe07514143b923b02808395898740f6e13085274fab3ddc738d2cd",
    "title": {"en": "Ask whether the ledger answers", "fr": "Demander si le registre répond"},
    "description": "Tells whether the ledger of the payments desk answers right now. Takes no arguments.",
    "arguments": {"type": "object", "additionalProperties": False},
    "effect": "none",
    "consequence": None,
    "consequence_level": "low",
    "approvals_needed": 0,
    "output": {"fields": ["ok"], "max_bytes": 200},
    "compensation": None,
    "rehearsed": True,
    "waiver": None,
}
TOOLS: dict[str, Any] = {"tools": [TOOL]}
