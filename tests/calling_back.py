"""A business system that calls back: its configuration with a secret for each organization, and signed messages."""

import base64
import hashlib
import hmac
import json
import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.test import Client

from intents.models import Intent
from systems.adapters import registry

SECRETS = {"demo": "a-secret-of-the-demo-desk", "other": "a-secret-of-the-other-desk"}
BLOCK = """
callbacks:
  secrets: {demo: {env: CALLBACKS_DEMO}, other: {env: CALLBACKS_OTHER}}
  tolerance: PT5M
  reference: /client_ref
  event_time: /occurred_at
  success: "body.event == 'review_request.created'"
  refused: {when: "body.event == 'review_request.expired'", source: "documented: events, chapter 4"}
  extract: {request_ref: /request_ref, dossier_ref: /dossier_ref, reason_code: /reason_code}
"""


@contextmanager
def configured(folder: Path) -> Iterator[None]:
    """The review desk calls back while this lasts."""
    before = settings.SYSTEMS_DIR
    for file in Path(before).glob("*.yaml"):
        (folder / file.name).write_text(file.read_text() + (BLOCK if file.name == "reviews.yaml" else ""))
    os.environ.update({f"CALLBACKS_{slug.upper()}": secret for slug, secret in SECRETS.items()})
    settings.SYSTEMS_DIR = str(folder)
    registry.reload()
    try:
        yield
    finally:
        settings.SYSTEMS_DIR = before
        registry.reload()


def told(intent: Intent, event: str = "review_request.created", *, at: float = 0.0, **changes: Any) -> dict[str, Any]:
    """A message about the intent, whose event was so `at` seconds from now; by default it proves the effect."""
    moment = datetime.fromtimestamp(time.time() + at, UTC).isoformat()
    effect = {"request_ref": "R-98", "dossier_ref": "D-42", "reason_code": "DONNEE_A_VERIFIER"}
    return {"event": event, "occurred_at": moment, "client_ref": str(intent.reference), **effect, **changes}


def post(
    news: Any, *, signer: str = "demo", system: str = "reviews", event: str = "", late: float = 0.0, secret: str = ""
) -> Any:
    """The message arrives, signed for an organization; `late` is how old its timestamp is, in seconds."""
    body = news if isinstance(news, bytes) else json.dumps(news).encode()
    identifier, timestamp = event or f"msg_{uuid.uuid4().hex}", str(int(time.time() - late))
    key = (secret or SECRETS[signer]).encode()
    mac = hmac.new(key, f"{identifier}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    headers = {
        "webhook-id": identifier,
        "webhook-timestamp": timestamp,
        "webhook-signature": "v1," + base64.b64encode(mac).decode(),
    }
    return Client().generic(
        "POST", f"/api/v1/callbacks/{system}", body, content_type="application/json", headers=headers
    )
