"""The system's own storage: one SQLite file, one connection, one lock; the two ledgers only ever grow."""

import json
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sandbox.seeding import seeds

TABLES = ("objects", "resources", "effects", "requests", "settings", "deferred", "callbacks")

SCHEMA = """
CREATE TABLE IF NOT EXISTS objects (
    collection TEXT, ref TEXT, document TEXT NOT NULL, PRIMARY KEY (collection, ref)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS resources (
    id INTEGER PRIMARY KEY, collection TEXT NOT NULL, number INTEGER NOT NULL, ref TEXT NOT NULL, client_ref TEXT,
    target TEXT NOT NULL, visible_from REAL NOT NULL, document TEXT NOT NULL, UNIQUE (collection, ref));
CREATE INDEX IF NOT EXISTS resources_client_ref ON resources (collection, client_ref);
CREATE INDEX IF NOT EXISTS resources_target ON resources (collection, target);
CREATE INDEX IF NOT EXISTS resources_number ON resources (collection, number);
CREATE TABLE IF NOT EXISTS effects (
    seq INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, ref TEXT NOT NULL, client_ref TEXT,
    arguments TEXT NOT NULL, body_sha256 TEXT NOT NULL, idempotency_key TEXT, if_match TEXT,
    result TEXT NOT NULL, request_seq INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS effects_client_ref ON effects (client_ref);
CREATE INDEX IF NOT EXISTS effects_key ON effects (kind, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE TABLE IF NOT EXISTS requests (
    seq INTEGER PRIMARY KEY, at TEXT NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL, query TEXT NOT NULL,
    headers TEXT NOT NULL, body BLOB NOT NULL, body_sha256 TEXT NOT NULL, client_ref TEXT, route TEXT, fault TEXT);
CREATE INDEX IF NOT EXISTS requests_client_ref ON requests (client_ref);
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS deferred (
    id INTEGER PRIMARY KEY, due REAL NOT NULL, job TEXT NOT NULL, payload TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS callbacks (
    seq INTEGER PRIMARY KEY, at TEXT NOT NULL, url TEXT NOT NULL, body TEXT NOT NULL, outcome TEXT NOT NULL);
"""

APPEND_ONLY = """
CREATE TRIGGER IF NOT EXISTS {table}_no_{verb} BEFORE {verb} ON {table}
BEGIN SELECT RAISE(ABORT, 'the ledger of {table} only grows'); END;
"""


def instant(at: float) -> str:
    """An epoch time as ISO 8601 in UTC with microseconds."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) + f".{int(at % 1 * 1e6):06d}Z"


class Store:
    """Everything the system remembers. Every access goes through `transaction`, which is safe from any thread."""

    def __init__(self, directory: Path, *, durable: bool = False) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._lock = threading.RLock()
        self._depth = 0
        self._db = sqlite3.connect(directory / "sandbox.sqlite3", isolation_level=None, check_same_thread=False)
        self._db.row_factory = sqlite3.Row
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'OFF'}")
        with self.transaction():
            self._prepare()

    @contextmanager
    def transaction(self) -> Iterator["Store"]:
        """All or nothing; a transaction inside a transaction joins it."""
        with self._lock:
            outermost = self._depth == 0
            if outermost:
                self._db.execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield self
            except BaseException:
                if outermost:
                    self._db.execute("ROLLBACK")
                raise
            else:
                if outermost:
                    self._db.execute("COMMIT")
            finally:
                self._depth -= 1

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        with self._lock:
            return self._db.execute(sql, values).fetchall()

    def row(self, sql: str, values: Sequence[Any] = ()) -> sqlite3.Row | None:
        return next(iter(self.rows(sql, values)), None)

    def insert(self, table: str, **values: Any) -> int:
        """One more row; returns its number."""
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        with self.transaction():
            # the names are keyword arguments written in this package
            sql = f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608 - see above
            cursor = self._db.execute(sql, tuple(values.values()))
            return cursor.lastrowid or 0

    def change(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Run one changing statement; returns how many rows it changed."""
        with self.transaction():
            return self._db.execute(sql, values).rowcount

    def reset(self) -> None:
        """Forget everything and begin again with the seeds; the only way a ledger ever shrinks."""
        with self.transaction():
            for table in TABLES:
                self._db.execute(f"DROP TABLE IF EXISTS {table}")
            self._prepare()

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def _prepare(self) -> None:
        # statement by statement: executescript would commit the surrounding transaction
        for statement in filter(str.strip, SCHEMA.split(";\n")):
            self._db.execute(statement)
        for table in ("effects", "requests"):
            for verb in ("UPDATE", "DELETE"):
                self._db.execute(APPEND_ONLY.format(table=table, verb=verb))
        if self.row("SELECT 1 FROM objects LIMIT 1") is None:
            for collection, ref, document in seeds():
                self.put_object(collection, ref, document)

    def object(self, collection: str, ref: str) -> dict[str, Any] | None:
        found = self.row("SELECT document FROM objects WHERE collection = ? AND ref = ?", (collection, ref))
        return None if found is None else json.loads(found["document"])

    def put_object(self, collection: str, ref: str, document: Mapping[str, Any]) -> None:
        self.change("INSERT OR REPLACE INTO objects VALUES (?, ?, ?)", (collection, ref, dumps(document)))

    def neighbour(self, collection: str, ref: str) -> str:
        """The reference of another object of the same collection, a similar one first."""
        found = self.row(
            "SELECT ref FROM objects WHERE collection = ?1 AND ref <> ?2 "
            "ORDER BY substr(ref, 1, 2) <> substr(?2, 1, 2), ref LIMIT 1",
            (collection, ref),
        )
        return found["ref"] if found else f"{ref}0"


def dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
