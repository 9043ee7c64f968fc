"""Prescribed motion: where the movers are at a time."""
