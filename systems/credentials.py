"""How requests prove who they come from; secrets come from the environment or a file, and are never shown."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


class MissingSecret(ValueError):
    """A secret is not where the configuration says; the text is a sentence that does not hold it."""


@dataclass(frozen=True)
class Credentials:
    """The headers added at the moment of sending, and every text that must be masked wherever it turns up."""

    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)


def read_credentials(document: Any, *, environ: Mapping[str, str]) -> Credentials:
    """The credentials of an `authentication` entry that fits its schema; MissingSecret when one is absent."""
    if document == "none":
        return Credentials()
    if "basic" in document:
        return _basic(document["basic"], environ)
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
