"""The quality of digital signals: Bad while a lever says that the wire is broken.

    row                 ... 40   41   42   43   44 ...
    Fault.Locked         0    0    6    6    0
    Locked             good good  bad  bad good       a fault of the kind bad: first 42, end 44

Unlike a value that is lost on its way, that of a broken wire is known: false, since it broke.

The lever is a column of the row, so every client gets the same status for the same tick, in Read
and in subscriptions. A cell without digital signals has no such column, and nobody looks.
"""

import numpy as np

from twincell.server.opcua.fault.protocol_fault import Kind, SignalFault
from twincell.server.realtime.shared.ring import Ints, Ring, Row
from twincell.sim.devices.parts.wire_signals import BROKEN_WIRE, WIRE_FAULTS
from twincell.sim.signals import SignalTable

LEVER = ".Fault."  # between a device and its signal in the name of the lever


class BrokenWires:
    """Follows the levers through the rows."""

    def __init__(self, ring: Ring, signals: SignalTable, step_s: float) -> None:
        self._ring = ring
        self._step_s = step_s
        levers = _levers(signals)
        self._signals = list(levers)
        self._columns: Ints = np.array(list(levers.values()), dtype=np.int64)
        self._was_broken = np.zeros((1, len(levers)), dtype=bool)
        self._next = 0  # row to look at
        self._acting: dict[str, SignalFault] = {}  # by signal

    @property
    def acting(self) -> list[SignalFault]:
        """One for each wire that is broken."""
        return list(self._acting.values())

    def look(self, end: int) -> tuple[int, list[SignalFault]]:
        """Look at the rows before `end`: how many wires have broken, and what is over."""
        if not self._signals or self._next >= end:
            return 0, []
        rows = self._ring.read(self._next, end, self._columns)
        self._next = end
        broken = rows.values == BROKEN_WIRE
        if not len(broken) or not (self._was_broken.any() or broken.any()):
            return 0, []
        changed = broken != np.concatenate([self._was_broken, broken[:-1]])
        self._was_broken = broken[-1:]
        n_begun = 0
        over: list[SignalFault] = []
        for place, wire in np.argwhere(changed).tolist():
            signal, row = self._signals[wire], rows.first + place
            if broken[place, wire]:
                self._acting[signal] = self._fault(signal, row)
                n_begun += 1
            else:
                fault = self._acting.pop(signal)
                fault.end = row
                over.append(fault)
        return n_begun, over

    def _fault(self, signal: str, first: int) -> SignalFault:
        """A wire breaks with a row, whose value is shown from then on: no current flows."""
        rows = self._ring.read(first, first + 1)
        if not len(rows.stamp):  # the ring has come around meanwhile: it is the same in each row
            rows = self._ring.read(self._next - 1, self._next)
        shown = Row(rows.values[0], int(rows.stamp[0]))
        names = frozenset((signal,))
        return SignalFault(Kind.BAD, signal, 1.0, np.inf, names, first, shown, self._step_s)


def _levers(signals: SignalTable) -> dict[str, int]:
    """Columns of the levers of all digital signals, by the names of these signals."""
    levers = [lever for lever in signals.faults if lever.texts == WIRE_FAULTS]
    return {lever.name.replace(LEVER, ".", 1): lever.column for lever in levers}
