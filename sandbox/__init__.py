"""A small business system for demos, rehearsals and tests: its own process, its own storage, and faults on request.

It is spoken to over HTTP only and imports nothing of the rest of the project, so that what it says about its effects
is independent testimony.
"""
