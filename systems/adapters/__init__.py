"""Adapters speak to business systems; reached through `systems`, by the rooms that observe, send and look up."""
