"""What fault levers may be set to: beyond it they would mean nothing, and hide a slip of the hand.

A switch has its two values; this is for the others.
"""

from twincell.sim.devices.tool_changer.signals import DIGITAL, SIGNAL_FAULTS

SHARE = (0.0, 1.0)
LONGER = (0.0, 1_000.0)  # a stroke of minutes; chosen
BAR = (0.0, 1_000.0)  # more than any supply has; chosen
TOOL_ID = (0.0, 65_535.0)  # as many bits as a tool's number has
METRES = (-10.0, 10.0)  # farther than a robot reaches; chosen

RANGES: dict[str, tuple[float, float]] = {
    **{f"Fault.{name}": (0.0, len(SIGNAL_FAULTS) - 1.0) for name, _ in DIGITAL},
    "Fault.AirLow": BAR,
    "Fault.SlowStroke": LONGER,
    "Fault.ToolIdFlip": TOOL_ID,
    "Fault.WeakCoupling": SHARE,
    **{f"Fault.Offset{axis}": METRES for axis in "XYZ"},
}


def is_lever(name: str) -> bool:
    """Whether a signal is one: `<object>.Fault.<what>`."""
    return name.partition(".")[2].startswith("Fault.")


def lever_range(name: str) -> tuple[float, float]:
    """Least and greatest value of a lever; what is not listed is a switch."""
    return RANGES.get(name.partition(".")[2], (0.0, 1.0))
