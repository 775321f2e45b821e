"""Propose operations to Countersign, and read what is established."""

from countersign_client.client import Countersign
from countersign_client.shapes import SETTLED, Page, Proposal, Refused, Unreachable
from countersign_client.turns import Family, TooManyTurns, converse, tool_choice

__all__ = [
    "SETTLED",
    "Countersign",
    "Family",
    "Page",
    "Proposal",
    "Refused",
    "TooManyTurns",
    "Unreachable",
    "converse",
    "tool_choice",
]
