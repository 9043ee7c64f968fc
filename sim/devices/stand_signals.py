"""What a tool stand shows, and what can be broken about it."""

from sim.signals import Declared, Kind

STAND_LEVERS: tuple[Declared, ...] = (
    ("Fault.Empty", Kind.BOOLEAN, "", "Its holder holds nothing: what lies in it falls"),
)
EMPTY = 0  # place of each lever among them

STAND_SIGNALS: tuple[Declared, ...] = (
    ("Truth.Tool", Kind.STRING, "", "Constrained object that it holds, empty if there is none"),
)
