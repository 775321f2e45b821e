"""What was said: append-only, in plain ids, because it outlives what it speaks of."""
