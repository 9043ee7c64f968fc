"""What fault levers may be set to: beyond it they would mean nothing, and hide a slip of the hand.

A switch has its two values, and a bit field all those of its type; this is for the others.
"""

from sim.devices.changer_signals import DIGITAL, SIGNAL_FAULTS

SHARE = (0.0, 1.0)
LONGER = (0.0, 1_000.0)  # a stroke of minutes; chosen
BAR = (0.0, 1_000.0)  # more than any supply has; chosen
METRES = (-10.0, 10.0)  # farther than a robot reaches; chosen

RANGES: dict[str, tuple[float, float]] = {
    **{f"Fault.{name}": (0.0, len(SIGNAL_FAULTS) - 1.0) for name, _ in DIGITAL},
    "Fault.AirLow": BAR,
    "Fault.SlowStroke": LONGER,
    "Fault.ToolIdFlip": (0.0, 2.0**31 - 1),
    "Fault.WeakCoupling": SHARE,
    **{f"Fault.Offset{axis}": METRES for axis in "XYZ"},
}


def lever_range(name: str) -> tuple[float, float]:
    """Least and greatest value of a lever; what is not listed is a switch."""
    return RANGES.get(name.partition(".")[2], (0.0, 1.0))
