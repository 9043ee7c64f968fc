"""Calling methods."""
