"""A forced signal: all clients get a value that somebody chose, as from a PLC's force table.

    row                    ... 40   41   42   43   44 ...
    the cell                  0.1  0.2  0.3  0.4  0.5
    force of 7, from row 41   0.1   7    7    7   0.5      status 41 to 43: GoodLocalOverride

A force acts on rows, before all other faults: a delayed signal is forced so much later. A vector
with a forced number shows that number among those of the cell. A forced command is another matter:
the cell itself gets it, and clients see what it got (forced_commands).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from asyncua import ua

from twincell.server.opcua.fault.protocol_fault import SignalFault
from twincell.server.realtime.shared.ring import Ints, Ring, Rows
from twincell.server.report.signal_text import value_text
from twincell.sim.signals import Direction, Signal

LOCAL_OVERRIDE = int(ua.StatusCodes.GoodLocalOverride)  # status of a forced signal; part 8, 6.3.2


@dataclass(eq=False)
class Force(SignalFault):
    """A signal that is held at a value, its amount."""

    signal: Signal = field(kw_only=True)

    @property
    def text(self) -> str:
        """As in: force Changer1.Locked = true."""
        return f"{self.name} = {value_text(self.signal, self.amount)}"

    @property
    def is_of_command(self) -> bool:
        """Whether it is the cell that gets the value."""
        return self.signal.direction is Direction.COMMAND


class ForcedRing(Ring):
    """The rows of a ring as they are with signals that are forced."""

    def __init__(self, ring: Ring, forces: Iterable[Force]) -> None:
        super().__init__(ring._arrays)
        self._forces = list(forces)

    def read(self, first: int, end: int, columns: Ints | None = None) -> Rows:
        """Copy rows, with the values that were chosen for some of their numbers."""
        rows = super().read(first, end, columns)
        for force in self._forces:
            begun = max(force.first - rows.first, 0)
            over = None if force.end is None else max(force.end - rows.first, 0)
            column = force.signal.column
            rows.values[begun:over, column if columns is None else columns == column] = force.amount
        return rows


def forces_among(faults: Iterable[SignalFault]) -> list[Force]:
    """Those that change what clients see."""
    return [fault for fault in faults if isinstance(fault, Force)]


def status_in(row: int, forces: Iterable[Force]) -> int:
    """Status of the values of a row: Good, or that one of them is forced."""
    is_forced = any(force.covers(row) for force in forces)
    return LOCAL_OVERRIDE if is_forced else int(ua.StatusCodes.Good)
