"""What a tool stand shows, and what can be broken about it."""

from twincell.sim.devices.contract import DeviceSignal, DeviceSignals
from twincell.sim.signals import Kind

METRES = (-10.0, 10.0)  # farther than a robot reaches; chosen

LEVERS = (
    DeviceSignal(
        "Fault.Empty", Kind.BOOLEAN, "", "Its holder holds nothing: what lies in it falls"
    ),
    *(
        DeviceSignal(
            f"Fault.Offset{axis.upper()}",
            Kind.DOUBLE,
            "m",
            f"It stands off where it was taught, along its {axis}",
            limits=METRES,
        )
        for axis in "xyz"
    ),
)
EMPTY, OFFSET = 0, 1  # places of the levers, of the three offsets the first

SIGNALS = DeviceSignals(
    levers=LEVERS,
    feedback=(
        DeviceSignal(
            "Truth.Tool",
            Kind.STRING,
            "",
            "Constrained object that it holds, empty if there is none",
            names_of="constrained_object",
        ),
    ),
)
