"""One event, one line: a log record cannot be split or repainted by what it quotes."""

import logging
import re

import structlog

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\x80-\x9f\u2028\u2029]")


class OneLineFormatter(logging.Formatter):
    """Formats a record as one line, tracebacks included, with every control character made visible."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """Return the whole record as one printable line."""
        return _CONTROL.sub(lambda match: match.group().encode("unicode_escape").decode(), super().format(record))


def configure_structlog() -> None:
    """What is logged by structlog goes the way of every other record: one line, and never the values of variables.

    Left to itself, structlog prints the variables of every frame of a failure: tokens, cookies and passwords.
    """
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.contextvars.merge_contextvars,
            structlog.processors.ExceptionRenderer(structlog.tracebacks.ExceptionDictTransformer(show_locals=False)),
            structlog.processors.JSONRenderer(default=str),
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
