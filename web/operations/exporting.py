"""The journal as a file: every byte that verification needs, as JSON lines, or lines to read as a table."""

import csv
import io
import json
from collections.abc import Iterator

from django.utils.translation import get_language, override

from journal.queries import Kept, Told
from web.formatting.telling import line

COLUMNS = ("entry", "at", "proposal", "kind", "told", "by", "details", "words", "digest")
# Spreadsheets take a cell that begins like this for a formula; behind an apostrophe it is text, and recoverable.
_FORMULA = ("=", "+", "-", "@", "'", "\t", "\r")
_SPACES = "\u00a0\u202f"  # ordinary in French


def json_lines(entries: Iterator[Kept]) -> Iterator[str]:
    """One JSON object a line, oldest first; the last line says how many there were, so that a cut file is known.

    `body` is text whose UTF-8 bytes have the SHA-256 in `digest`; it names the digest of the entry before it in its
    chain as `previous`. `personal` is text, bound by `salt` (hexadecimal): the SHA-256 of both stands in the body.
    """
    told = 0
    for entry in entries:
        told += 1
        yield _json(
            {
                "entry": entry.told.id,
                "digest": entry.told.digest,
                "body": entry.body.decode(),
                "personal": None if entry.content is None else entry.content.decode(),
                "salt": None if entry.salt is None else entry.salt.hex(),
                "erased": entry.told.erased,
            }
        )
    yield _json({"end": True, "entries": told})


def table(entries: Iterator[Kept]) -> Iterator[str]:
    """Comma-separated lines in the reader's words, with a heading; one entry is one line, and no cell is a formula."""
    language = get_language()
    return _table(entries, language)


def _table(entries: Iterator[Kept], language: str | None) -> Iterator[str]:
    yield _row(COLUMNS)
    for entry in entries:
        with override(language):  # it is written while the answer is sent, when the page's own language has ended
            row = _row(_cells(entry.told))
        yield row


def _cells(told: Told) -> tuple[str, ...]:
    read = line(told)
    at = told.at.isoformat(timespec="microseconds").replace("+00:00", "Z")
    details = "; ".join(map(str, read.details))
    words = (str(read.what), read.who, details, read.words)
    return (str(told.id), at, told.chain or "", told.kind, *words, told.digest)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def _row(cells: tuple[str, ...]) -> str:
    written = io.StringIO()
    csv.writer(written, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerow(map(_inert, cells))
    return written.getvalue()


def _inert(cell: str) -> str:
    """The cell as text on one line: what cannot be seen is spelt out, what looks like a formula is quoted."""
    seen = "".join(one if one.isprintable() or one in _SPACES else _spelt_out(one) for one in cell)
    return f"'{seen}" if seen.startswith(_FORMULA) else seen


def _spelt_out(character: str) -> str:
    return character.encode("unicode_escape").decode()
