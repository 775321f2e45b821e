"""Speaks to PostgreSQL in few messages of short statements, on the paths where the talking costs more than the work.

A statement is prepared once for each connection, so that it is neither parsed nor planned again; several of them go in
one message, with the BEGIN before the first and, where asked, the COMMIT after the last. Django keeps the transaction:
`atomic` finds it begun, and finds it committed. The session must stay with the connection: no transaction pooler.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from django.db import DEFAULT_DB_ALIAS, connection, connections
from psycopg import generators, pq
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result

Rows = list[tuple[Any, ...]]
Said = tuple[str, Sequence[Any]]  # a statement with $1, $2 …, and a value for each

_prepared: WeakKeyDictionary[psycopg.Connection[Any], dict[str, bytes]] = WeakKeyDictionary()
_FAILED = frozenset({pq.ExecStatus.FATAL_ERROR, pq.ExecStatus.BAD_RESPONSE})


def ask(*said: Said, commit: bool = False) -> list[Rows]:
    """The rows of each statement, in order. With `commit` the same message commits the transaction of the caller.

    Raises what Django raises; the first statement that fails ends the message, and the transaction can only be left.
    """
    house = connections[DEFAULT_DB_ALIAS]
    house.validate_no_broken_transaction()
    house.close_if_health_check_failed()
    house.ensure_connection()
    with house.wrap_database_errors:
        wire: psycopg.Connection[Any] = house.connection
        parts = [_call(wire, sql, given) for sql, given in said]
        begins = house.in_atomic_block and wire.pgconn.transaction_status == pq.TransactionStatus.IDLE
        if begins:
            parts.insert(0, b"BEGIN")
        if commit:
            parts.append(b"COMMIT")
        answers = _sent(wire, b"; ".join(parts))
        return [_rows(wire, answer) for answer in answers[begins : begins + len(said)]]


def _call(wire: psycopg.Connection[Any], sql: str, given: Sequence[Any]) -> bytes:
    known = _prepared.setdefault(wire, {})
    if sql not in known:
        name = b"house_%d" % len(known)
        _sent(wire, b"PREPARE %s AS %s" % (name, sql.encode()))
        known[sql] = name
    literal = pq.Escaping(wire.pgconn).escape_literal
    spelt = b", ".join([_spelt(one, literal) for one in given])
    return b"EXECUTE %s(%s)" % (known[sql], spelt) if given else b"EXECUTE %s" % known[sql]


def _spelt(value: Any, literal: Callable[[bytes], bytes]) -> bytes:
    """As the type of its place reads it: every value travels as text."""
    if value is None:
        return b"NULL"
    if isinstance(value, int):
        return b"'%d'" % value if type(value) is int else b"'%s'" % str(value).encode()
    if isinstance(value, bytes | memoryview):
        return literal(b"\\x" + bytes(value).hex().encode())
    text = str(value).encode()
    if b"\x00" in text:
        raise psycopg.DataError("PostgreSQL text fields cannot contain NUL (0x00) bytes")
    return literal(text)


def _sent(wire: psycopg.Connection[Any], message: bytes) -> list[pq.abc.PGresult]:
    began = time.monotonic()
    with wire.lock:
        # The driver's own way to wait: other threads go on meanwhile, which libpq's plain call does not allow.
        wire.pgconn.send_query(message)
        answers: list[pq.abc.PGresult] = wire.wait(generators.execute(wire.pgconn))
    if connection.queries_logged:
        connection.queries_log.append({"sql": message.decode(), "time": f"{time.monotonic() - began:.3f}"})
    for answer in answers:
        if answer.status in _FAILED:
            raise error_from_result(answer, encoding="utf-8")
    return answers


def _rows(wire: psycopg.Connection[Any], answer: pq.abc.PGresult) -> Rows:
    if answer.status != pq.ExecStatus.TUPLES_OK or not answer.ntuples:
        return []
    read = Transformer(wire)
    read.set_pgresult(answer)
    return read.load_rows(0, answer.ntuples, tuple)
