"""What a hand-over costs beside the bare thing, and what it is worth when workers die: `python -m benchmarks`."""
