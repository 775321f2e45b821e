"""How a JSON value is spelt for a reader, so that two different values never look alike."""

import json
from typing import Any


def spelt(value: Any) -> str:
    """Text as it is; in quotes where it would read as something else: `null`, `true`, a number, or nothing at all."""
    if isinstance(value, str) and value.strip() and not _reads_as_json(value):
        return value
    return json.dumps(value, ensure_ascii=False)


def _reads_as_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
