"""Digital signals on wires: what they show, and the levers that break each of them."""

from twincell.sim.devices.contract import DeviceSignal
from twincell.sim.signals import Kind

WIRE_FAULTS = ("none", "stuck false", "stuck true", "frozen", "flickering", "late", "broken wire")
_, STUCK_FALSE, STUCK_TRUE, FROZEN, FLICKERING, LATE, BROKEN_WIRE = range(7)
_CODES = ", ".join(f"{code} {text}" for code, text in enumerate(WIRE_FAULTS))

BAD_SIGNALS = "BadSignals"

Digital = tuple[tuple[str, str], ...]  # quantity and description of each, in their order


def wire_feedback(digital: Digital) -> tuple[DeviceSignal, ...]:
    """What wires show: the signals, then which of them are broken."""
    text = "Digital signals whose wire is broken, a bit each in their order"
    shown = tuple(DeviceSignal(name, Kind.BOOLEAN, "", about) for name, about in digital)
    return *shown, DeviceSignal(BAD_SIGNALS, Kind.UINT16, "", text)


def wire_levers(digital: Digital) -> tuple[DeviceSignal, ...]:
    """A lever for each signal."""
    return tuple(
        DeviceSignal(
            f"Fault.{name}",
            Kind.INT32,
            "",
            f"The signal {name}: {_CODES}",
            texts=WIRE_FAULTS,
            limits=(0.0, len(WIRE_FAULTS) - 1.0),
        )
        for name, _ in digital
    )
