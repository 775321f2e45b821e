"""How requests prove who they come from; secrets come from the environment or a file, and are never shown."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

from systems.durations import duration


class MissingSecret(ValueError):
    """A secret is not where the configuration says; the text is a sentence that does not hold it."""


@dataclass(frozen=True)
class ClientCredentials:
    """How a bearer token is asked for: the request's address, headers and body, and the time limits.

    `within` bounds the asking, `margin` is how long before its end a token is no longer used.
    """

    url: str
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    body: bytes = field(repr=False)
    within: timedelta
    margin: timedelta


@dataclass(frozen=True)
class Credentials:
    """The headers added at the moment of sending, and every text that must be masked wherever it turns up.

    With `client`, a bearer token joins them.
    """

    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    client: ClientCredentials | None = None


def read_credentials(document: Any, *, environ: Mapping[str, str]) -> Credentials:
    """The credentials of an `authentication` entry that fits its schema.

    Raises MissingSecret when one is absent, DurationError for a time limit that is none. Whether the address of a token
    endpoint may be used is for the caller to check.
    """
    if document == "none":
        return Credentials()
    if "basic" in document:
        return _basic(document["basic"], environ)
    if "oauth2" in document:
        return _client(document["oauth2"], environ)
    entry = document["header"]
    secret = _secret(entry["value"], environ)
    value = f"{entry['prefix']} {secret}" if "prefix" in entry else secret
    return Credentials(((entry["name"], value),), (secret,))


def _basic(entry: Mapping[str, Any], environ: Mapping[str, str]) -> Credentials:
    username, password = _secret(entry["username"], environ), _secret(entry["password"], environ)
    if ":" in username:
        raise MissingSecret("the user name of basic authentication cannot hold a colon.")
    encoded = base64.b64encode(f"{username}:{password}".encode()).decode()
    return Credentials((("Authorization", f"Basic {encoded}"),), (encoded, password))


def _client(entry: Mapping[str, Any], environ: Mapping[str, str]) -> Credentials:
    name, secret = _secret(entry["client_id"], environ), _secret(entry["client_secret"], environ)
    wanted = {"grant_type": "client_credentials"}
    wanted |= {key: entry[key] for key in ("scope", "audience") if key in entry}
    headers = [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")]
    hidden = [secret]
    if entry.get("send_as", "basic") == "form":
        wanted |= {"client_id": name, "client_secret": secret}
    else:  # RFC 6749, 2.3.1: both are form-encoded before they are joined
        encoded = base64.b64encode(f"{quote_plus(name)}:{quote_plus(secret)}".encode()).decode()
        headers.append(("Authorization", f"Basic {encoded}"))
        hidden.append(encoded)
    body = "&".join(f"{key}={quote_plus(value)}" for key, value in wanted.items())
    within, margin = duration(entry["within"]), duration(entry.get("margin", "PT30S"))
    client = ClientCredentials(entry["token_url"], tuple(headers), body.encode(), within, margin)
    return Credentials((), tuple(hidden), client)


def read_secret(entry: Mapping[str, str], *, environ: Mapping[str, str]) -> str:
    """One secret of a configuration; MissingSecret when it is absent or cannot be one."""
    return _secret(entry, environ)


def _secret(entry: Mapping[str, str], environ: Mapping[str, str]) -> str:
    where, value = _read(entry, environ)
    if not value:
        raise MissingSecret(f"the secret in {where} is missing.")
    if not value.isascii() or not value.isprintable() or len(value) < 4:
        raise MissingSecret(f"the secret in {where} is not plain printable text of at least 4 characters.")
    return value


def _read(entry: Mapping[str, str], environ: Mapping[str, str]) -> tuple[str, str]:
    if "env" in entry:
        return f"the environment variable {entry['env']}", environ.get(entry["env"], "").strip()
    where = f"the file {entry['file']}"
    try:
        return where, Path(entry["file"]).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise MissingSecret(f"the secret in {where} cannot be read.") from error
