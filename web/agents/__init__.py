"""Agents as people keep them: a person's own tokens, and for operators every agent of the organization."""
