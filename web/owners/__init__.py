"""The contract owners' screens."""
