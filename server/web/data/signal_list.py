"""Signals, as scripts in the browser need them."""

from collections.abc import Iterable
from typing import Any

from twincell.sim.signals import Signal


def described(signals: Iterable[Signal]) -> list[dict[str, Any]]:
    """Name, place and meaning of each."""
    return [
        {
            "name": signal.name,
            "column": signal.column,
            "kind": str(signal.kind),
            "unit": signal.unit,
            "direction": str(signal.direction),
            "description": signal.description,
            "texts": list(signal.texts),
        }
        for signal in signals
    ]
