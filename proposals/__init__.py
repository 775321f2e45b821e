"""What may be asked (tool contracts) and what is asked (proposals and their revisions)."""
