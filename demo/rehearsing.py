"""What the demo's contracts are rehearsed on: objects put into the sandbox for it, beside those the story is about."""

import json
import os
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Mapping
from typing import Any

Cases = list[dict[str, Any]]
ESTABLISHMENT = "A"
ENOUGH = 14  # more than the steps that use their target up
SECONDS = 5.0


class NoSandbox(Exception):
    """The business system of the demo does not answer."""


def cases_for(contract: str) -> Cases:
    """What to ask `contract` with; nothing for one the demo did not bring. The objects are put there by this.

    Raises NoSandbox.
    """
    put = _PUT.get(contract)
    return put() if put else []


def _reviews() -> Cases:
    ref = _object("dossiers", "D-9042", version=7)
    return [{"dossier_ref": ref, "expected_version": 7, "reason_code": "DONNEE_A_VERIFIER"}]


def _cancellations() -> Cases:
    ref = _object("dossiers", "D-9043", version=1)
    asked = {"dossier_ref": ref, "reason_code": "DONNEE_A_VERIFIER", "queue": "internal_review"}
    made = [_call("POST", "/review-requests", {**asked, "client_ref": str(uuid.uuid4())}) for _ in range(ENOUGH)]
    return [{"dossier_ref": ref, "request_ref": one["request_ref"]} for one in made]


def _refunds() -> Cases:
    ref = _object("orders", "ORD-900123", version=1, state="paid", total_minor=500_000, currency="EUR")
    return [{"order_id": ref, "amount_minor": 1250, "currency": "EUR"}]


def _archivings() -> Cases:
    refs = [_object("users", f"U-{90_000 + number}", version=1) for number in range(ENOUGH)]
    return [{"user_id": ref, "confirm_user_id": ref, "reason": "LEFT_COMPANY"} for ref in refs]


_PUT: Mapping[str, Callable[[], Cases]] = {
    "ouvrir_revue_dossier": _reviews,
    "annuler_revue_dossier": _cancellations,
    "refund_create": _refunds,
    "archive_user_by_id": _archivings,
}


def _object(collection: str, ref: str, **fields: Any) -> str:
    """It is there as on its first day, whatever a rehearsal before has made of it."""
    shown = {"label": "Made for a rehearsal", "state": "active", "establishment": ESTABLISHMENT, **fields}
    _call("PUT", f"/_control/{collection}/{ref}", shown)
    return ref


def _call(method: str, path: str, body: Mapping[str, Any]) -> Any:
    address = os.environ.get("SANDBOX_URL", "http://127.0.0.1:8900").rstrip("/")
    content, kind = json.dumps(body).encode(), {"Content-Type": "application/json"}
    request = urllib.request.Request(address + path, content, kind, method=method)  # noqa: S310  the demo's own address
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310  the demo's own address
            return json.loads(answer.read())
    except urllib.error.HTTPError as error:
        raise NoSandbox(f"{method} {path}: HTTP {error.code}") from error
    except OSError as error:
        raise NoSandbox(f"{address} does not answer") from error
