"""Faults in words: a lever of a wire has a number, of which nobody knows what it means."""

from collections.abc import Mapping

from twincell.sim.signals import SignalTable


def in_words(active: Mapping[str, str], signals: SignalTable) -> dict[str, str]:
    """Faults that act, with values that a person understands."""
    return {name: _words(name, value, signals) for name, value in active.items()}


def _words(name: str, value: str, signals: SignalTable) -> str:
    lever = signals.by_name.get(name)
    if lever is None or not value.isdecimal() or int(value) >= len(lever.texts):
        return value
    return lever.texts[int(value)]
