"""A device's own diagnosis: what its controller sees of it."""

from twincell.sim.devices.contract import DeviceSignal
from twincell.sim.signals import Kind

FAULT_RESET = DeviceSignal(
    "FaultReset", Kind.BOOLEAN, "", "A rising edge forgets a fault whose cause is gone"
)
FAULT_WIRE = ("Fault", "A fault is there, or was and is not reset")  # a digital signal


def fault_feedback(faults: tuple[str, ...]) -> tuple[DeviceSignal, ...]:
    """The fault as a number and in words; the first of them is none."""
    return (
        DeviceSignal("FaultCode", Kind.UINT16, "", "What the fault is, 0 for none", texts=faults),
        DeviceSignal(
            "FaultText", Kind.STRING, "", "FaultCode in words, empty for none", texts=faults
        ),
    )
