"""Work that comes later: effects of accepted requests and signed callbacks, kept in storage until they are due."""

import base64
import hashlib
import hmac
import http.client
import json
import sys
import threading
import time
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from sandbox import routing
from sandbox.storing import Store, dumps, instant
from sandbox.wire import Request

CALLBACK_TIMEOUT = 5.0


class Deferred:
    """One thread that sleeps until the next piece of work is due; what is due is taken and done in one transaction."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._wake = threading.Condition()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="deferred", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        with self._wake:
            self._stopping = True
            self._wake.notify_all()
        self._thread.join(0.5)

    def effect(self, request: Request, seconds: float) -> None:
        """The business of this request is done that many seconds from now."""
        kept = {
            "method": request.method,
            "path": request.path,
            "query": request.query,
            "headers": request.headers,
            "body": request.body.decode("latin-1"),
            "seq": request.seq,
        }
        self._later("effect", kept, seconds)

    def callback(self, *, url: str, secret: str, body: str, seconds: float) -> None:
        """The body is posted to the address, signed, that many seconds from now, once, whatever comes back."""
        self._later("callback", {"url": url, "secret": secret, "body": body}, seconds)

    def _later(self, job: str, payload: dict[str, Any], seconds: float) -> None:
        self._store.insert("deferred", due=time.time() + seconds, job=job, payload=dumps(payload))
        with self._wake:
            self._wake.notify_all()

    def _run(self) -> None:
        while not self._stopping:
            try:
                self._do_what_is_due()
                self._sleep()
            except Exception as error:  # noqa: BLE001 - one piece of work that fails must not end all that come after
                print(f"sandbox: deferred work failed: {error!r}", file=sys.stderr, flush=True)
                with self._wake:
                    self._wake.wait(1.0)

    def _sleep(self) -> None:
        with self._wake:
            found = self._store.row("SELECT min(due) AS due FROM deferred")
            due = found["due"] if found else None
            if not self._stopping and (due is None or due > time.time()):
                self._wake.wait(None if due is None else max(due - time.time(), 0.001))

    def _do_what_is_due(self) -> None:
        with self._store.transaction() as store:
            row = store.row("SELECT * FROM deferred WHERE due <= ? ORDER BY due, id LIMIT 1", (time.time(),))
            if row is None:
                return
            store.change("DELETE FROM deferred WHERE id = ?", (row["id"],))
            payload = json.loads(row["payload"])
            if row["job"] == "effect":
                routing.handle(store, _request(payload))
                return
        threading.Thread(target=self._post, kwargs=payload, name="callback", daemon=True).start()

    def _post(self, *, url: str, secret: str, body: str) -> None:
        try:
            outcome = str(post_signed(url, secret, body.encode("utf-8")))
        except (OSError, ValueError, http.client.HTTPException) as error:
            outcome = repr(error)
        self._store.insert("callbacks", at=instant(time.time()), url=url, body=body, outcome=outcome)


def _request(kept: dict[str, Any]) -> Request:
    headers = tuple((name, value) for name, value in kept["headers"])
    request = Request(kept["method"], kept["path"], kept["query"], headers, kept["body"].encode("latin-1"))
    return replace(request, seq=kept["seq"])


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """HMAC-SHA256 in hex over the timestamp, a full stop, and the body."""
    return hmac.new(secret.encode("utf-8"), timestamp.encode("ascii") + b"." + body, hashlib.sha256).hexdigest()


def webhook_headers(secret: str, timestamp: str, body: bytes) -> dict[str, str]:
    """The same in the manner of Standard Webhooks; a body that is told again is the same event."""
    identifier = f"msg_{hashlib.sha256(body).hexdigest()[:24]}"
    signed = f"{identifier}.{timestamp}.".encode("ascii") + body
    key = base64.b64decode(secret[6:]) if secret.startswith("whsec_") else secret.encode("utf-8")
    mac = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode("ascii")
    return {"Webhook-Id": identifier, "Webhook-Timestamp": timestamp, "Webhook-Signature": f"v1,{mac}"}


def post_signed(url: str, secret: str, body: bytes) -> int:
    """POST once, without proxies or redirects; returns the status answered."""
    parts, timestamp = urlsplit(url), str(int(time.time()))
    connect = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = connect(parts.hostname or "", parts.port, timeout=CALLBACK_TIMEOUT)
    headers = {"Content-Type": "application/json", "X-Timestamp": timestamp}
    headers["X-Signature"] = signature(secret, timestamp, body)
    headers |= webhook_headers(secret, timestamp, body)
    try:
        connection.request("POST", f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}", body, headers)
        return connection.getresponse().status
    finally:
        connection.close()
