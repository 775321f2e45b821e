"""Rehearsals: a contract is taken through its paths against a business system, before anybody may ask with it."""
