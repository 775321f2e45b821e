"""The two ledgers as the control interface shows them: every effect ever made, every request seen."""

import json
import sqlite3
import time
from collections.abc import Mapping
from typing import Any

from sandbox.storing import Store, dumps, instant
from sandbox.wire import Request

SECRET_HEADERS = {"authorization", "proxy-authorization", "cookie", "x-api-key"}
EFFECT_FILTERS = {"client_ref": "client_ref = ?", "kind": "kind = ?", "ref": "ref = ?", "since": "seq > ?"}
REQUEST_FILTERS = {
    "path": "path = ?",
    "method": "method = ?",
    "client_ref": "client_ref = ?",
    "route": "route = ?",
    "since": "seq > ?",
}


class UnknownFilter(ValueError):
    """A filter that does not exist would silently show everything."""


def record_request(store: Store, request: Request, *, route: str | None, fault: str | None) -> int:
    """The request is in the ledger before anything is done about it; returns its number."""
    reference = request.hints.get("client_ref")
    return store.insert(
        "requests",
        at=instant(time.time()),
        method=request.method,
        path=request.path,
        query=request.query,
        headers=dumps([[name, _masked(name, value)] for name, value in request.headers]),
        body=request.body,
        body_sha256=request.sha256,
        client_ref=reference if isinstance(reference, str) else None,
        route=route,
        fault=fault,
    )


def _masked(name: str, value: str) -> str:
    if name.lower() not in SECRET_HEADERS:
        return value
    scheme, blank, _ = value.partition(" ")
    return f"{scheme} ***" if blank and name.lower().endswith("authorization") else "***"


def effects(store: Store, asked: Mapping[str, str]) -> list[dict[str, Any]]:
    """Every effect ever made, in order, that passes the filters."""
    return [_effect(row) for row in _filtered(store, "effects", EFFECT_FILTERS, asked)]


def requests(store: Store, asked: Mapping[str, str]) -> list[dict[str, Any]]:
    """Every request seen, in order, that passes the filters."""
    return [_request(row) for row in _filtered(store, "requests", REQUEST_FILTERS, asked)]


def _filtered(store: Store, table: str, known: Mapping[str, str], asked: Mapping[str, str]) -> list[sqlite3.Row]:
    if unknown := sorted(set(asked) - set(known)):
        raise UnknownFilter(f"{', '.join(unknown)}: no filter here; known: {', '.join(known)}")
    # table and conditions come from the tables above, never from the request
    where = " AND ".join(["1 = 1", *(known[name] for name in asked)])
    return store.rows(f"SELECT * FROM {table} WHERE {where} ORDER BY seq", tuple(asked.values()))  # noqa: S608 - see above


def _effect(row: sqlite3.Row) -> dict[str, Any]:
    return {**dict(row), "arguments": json.loads(row["arguments"]), "result": json.loads(row["result"])}


def _request(row: sqlite3.Row) -> dict[str, Any]:
    headers = dict(reversed(json.loads(row["headers"])))  # of a repeated header the first is shown
    return {**dict(row), "headers": headers, "body": row["body"].decode("utf-8", "replace")}


def totals(store: Store) -> dict[str, Any]:
    """How many of each, by kind of effect and by route of request."""
    by_kind = {row[0]: row[1] for row in store.rows("SELECT kind, count(*) FROM effects GROUP BY kind")}
    routes = store.rows("SELECT coalesce(method || ' ' || route, 'none'), count(*) FROM requests GROUP BY 1")
    by_route = {row[0]: row[1] for row in routes}
    return {
        "effects": sum(by_kind.values()),
        "effects_by_kind": by_kind,
        "requests": sum(by_route.values()),
        "requests_by_route": by_route,
        "deferred": store.rows("SELECT count(*) FROM deferred")[0][0],
    }
