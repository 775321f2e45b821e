"""The agents' door: REST."""
