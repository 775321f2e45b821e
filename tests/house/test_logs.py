"""What is logged is one line, and holds no secret that a failing function had at hand."""

import io
import logging

import structlog

from config.logs import OneLineFormatter

SECRET = "cs_" + "q7" * 20


def _logged(write: object) -> str:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(OneLineFormatter())
    log = logging.getLogger("django_structlog.test")
    log.addHandler(handler)
    try:
        write()  # type: ignore[operator]  # each test gives a function
    finally:
        log.removeHandler(handler)
    return out.getvalue()


def _fail(authorization: str) -> None:
    environ = {"HTTP_AUTHORIZATION": f"Bearer {authorization}"}
    raise RuntimeError(f"unforeseen, with {len(environ)} header\nand a line of its own")


def _failed() -> None:
    try:
        _fail(SECRET)
    except RuntimeError:
        structlog.get_logger("django_structlog.test").exception("request_failed", request="GET /\r\nX: forged")


def test_a_failure_is_logged_without_the_values_of_variables() -> None:
    text = _logged(_failed)
    assert "request_failed" in text
    assert "unforeseen" in text
    assert "_fail" in text, "where it failed is told"
    assert SECRET not in text


def test_whatever_it_quotes_a_record_is_one_line() -> None:
    assert _logged(_failed).strip("\n").count("\n") == 0
