"""How much of a model's attention a contract costs."""

import json
from typing import Any

# Tokenizers differ; four bytes of JSON in one token is what the large families come near to, on the careful side.
_BYTES_PER_TOKEN = 4


def tokens_of(served: Any) -> int:
    """About how many tokens a value takes when a model is served it as JSON: an estimate, the same everywhere."""
    text = json.dumps(served, ensure_ascii=False, separators=(",", ":"))
    return -(-len(text.encode("utf-8", "surrogatepass")) // _BYTES_PER_TOKEN)
