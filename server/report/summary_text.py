"""The words of a summary: what happened to something, and what lasted for a time."""

from dataclasses import dataclass


@dataclass
class Told:
    """Something happened to a robot or a device."""

    object: str
    at_s: float
    text: str


@dataclass
class Hold:
    """A time in which an object had one partner, or a device one state."""

    partner: str
    from_s: float
    to_s: float
