"""Who may ask: a key in a header, a name and a password, or a token that is given out for a while."""

import base64
import secrets
import time
from typing import Any
from urllib.parse import unquote_plus

from sandbox import capabilities
from sandbox.calls import Call
from sandbox.storing import Store
from sandbox.wire import Reply, Request

# Everybody knows these: they open nothing but a pretend system.
KEY = "sandbox-key"
NAME, PASSWORD = "sandbox", "sandbox-password"
TOKEN_PATH = "/oauth/token"  # noqa: S105 - an address


def stranger(store: Store, request: Request) -> Reply | None:
    """The refusal of a request that does not prove who asks, or None; nothing of the business happens before."""
    wanted = capabilities.read(store).authentication
    if wanted == "none" or request.path == TOKEN_PATH or _proves(store, request, wanted):
        return None
    return Reply(401, {"error": "unauthorized"}, {"WWW-Authenticate": "Bearer" if wanted == "oauth2" else "Basic"})


def _proves(store: Store, request: Request, wanted: str) -> bool:
    if wanted == "header":
        return request.header("X-Api-Key") == KEY
    scheme, _, given = (request.header("Authorization") or "").partition(" ")
    if wanted == "basic":
        return scheme.lower() == "basic" and _decoded(given) == (NAME, PASSWORD)
    found = store.row("SELECT value FROM settings WHERE name = ?", (f"token {given}",))
    return scheme.lower() == "bearer" and found is not None and time.time() < float(found["value"])


def _decoded(given: str) -> tuple[str, str] | None:
    try:
        name, colon, password = base64.b64decode(given, validate=True).decode("ascii").partition(":")
    except ValueError:
        return None
    return (unquote_plus(name), unquote_plus(password)) if colon else None


def give_token(call: Call) -> Reply:
    """200 with a bearer token for client credentials (RFC 6749, 4.4), in a Basic header or in the form; or 400, 401."""
    asked: dict[str, Any] = call.request.fields
    if asked.get("grant_type") != "client_credentials":
        return Reply(400, {"error": "unsupported_grant_type"})
    scheme, _, given = (call.request.header("Authorization") or "").partition(" ")
    in_form = (asked.get("client_id"), asked.get("client_secret"))
    if (_decoded(given) if scheme.lower() == "basic" else in_form) != (NAME, PASSWORD):
        return Reply(401, {"error": "invalid_client"})
    token, lives = secrets.token_urlsafe(24), call.capabilities.token_seconds
    call.store.change("INSERT INTO settings VALUES (?, ?)", (f"token {token}", str(time.time() + lives)))
    document = {"access_token": token, "token_type": "Bearer", "expires_in": int(lives)}
    return Reply(200, document, {"Cache-Control": "no-store"})
