"""Amounts with their units, as they are typed: 250ms, 2s, 10%."""

import re

from twincell.server.errors import Refusal

MS = {"ms": 1.0, "s": 1e3, "min": 60e3, "h": 3600e3}
DURATION = re.compile(rf"(\d+(?:\.\d+)?)\s*({'|'.join(MS)})")
SHARE = re.compile(r"(\d+(?:\.\d+)?)\s*(%?)")


def milliseconds(text: str, what: str) -> float:
    """A duration greater than 0."""
    found = DURATION.fullmatch(text.strip())
    if not found or float(found[1]) == 0.0:
        raise Refusal(f"{what} {text}: is no duration", "such as 250ms, 2s or 5min")
    return float(found[1]) * MS[found[2]]


def share(text: str, what: str) -> float:
    """A share greater than 0, up to 1."""
    found = SHARE.fullmatch(text.strip())
    value = float(found[1]) / (100.0 if found[2] else 1.0) if found else 0.0
    if not 0.0 < value <= 1.0:
        raise Refusal(f"{what} {text}: is no share", "such as 10% or 0.1, and at most all of it")
    return value
