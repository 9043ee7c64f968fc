"""A signal and its value, in words: where a fault lever stands, what a signal is forced to."""

from twincell.sim.signals import Kind, Signal


def lever_text(lever: Signal, number: float) -> str:
    """What a list or an event says: Stand1.Fault.Empty, or Changer1.Fault.AirLow = 0.5 bar."""
    if lever.kind is Kind.BOOLEAN:
        return lever.name
    return f"{lever.name} = {value_text(lever, number)}"


def value_text(signal: Signal, number: float) -> str:
    """A value with its unit: 0.5 bar, 3, true."""
    value = signal.value(number)
    if isinstance(value, bool):
        return "true" if value else "false"
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    return f"{shown} {signal.unit}".rstrip()
