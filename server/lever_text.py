"""A fault lever and where it stands, in words."""

from sim.signals import Kind, Signal


def lever_text(lever: Signal, number: float) -> str:
    """What a list or an event says: Stand1.Fault.Empty, or Changer1.Fault.AirLow = 0.5 bar."""
    if lever.kind is Kind.BOOLEAN:
        return lever.name
    value = lever.value(number)
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    return f"{lever.name} = {shown} {lever.unit}".rstrip()
