"""What a tool stand shows, and what can be broken about it."""

from twincell.sim.signals import Declared, Kind

STAND_LEVERS: tuple[Declared, ...] = (
    ("Fault.Empty", Kind.BOOLEAN, "", "Its holder holds nothing: what lies in it falls"),
    ("Fault.OffsetX", Kind.DOUBLE, "m", "It stands off where it was taught, along its x"),
    ("Fault.OffsetY", Kind.DOUBLE, "m", "It stands off where it was taught, along its y"),
    ("Fault.OffsetZ", Kind.DOUBLE, "m", "It stands off where it was taught, along its z"),
)
EMPTY, OFFSET = 0, 1  # places of the levers, of the three offsets the first

STAND_SIGNALS: tuple[Declared, ...] = (
    ("Truth.Tool", Kind.STRING, "", "Constrained object that it holds, empty if there is none"),
)
