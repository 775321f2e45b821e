"""One event, one line: a log record cannot be split or repainted by what it quotes."""

import logging
import re

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\x80-\x9f\u2028\u2029]")


class OneLineFormatter(logging.Formatter):
    """Formats a record as one line, tracebacks included, with every control character made visible."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """Return the whole record as one printable line."""
        return _CONTROL.sub(lambda match: match.group().encode("unicode_escape").decode(), super().format(record))
