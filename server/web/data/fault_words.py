"""Faults in words: a lever of a sensor has a number, of which nobody knows what it means."""

from collections.abc import Mapping

from twincell.sim.devices.tool_changer.signals import SIGNAL_FAULTS
from twincell.sim.signals import Signal, SignalTable


def is_of_sensor(lever: Signal) -> bool:
    """Whether a lever chooses how a sensor lies."""
    return "stuck false" in lever.description


def in_words(active: Mapping[str, str], signals: SignalTable) -> dict[str, str]:
    """Faults that act, with values that a person understands."""
    return {name: _words(name, value, signals) for name, value in active.items()}


def _words(name: str, value: str, signals: SignalTable) -> str:
    lever = signals.by_name.get(name)
    if lever is None or not is_of_sensor(lever) or not value.isdecimal():
        return value
    return SIGNAL_FAULTS[int(value)] if int(value) < len(SIGNAL_FAULTS) else value
