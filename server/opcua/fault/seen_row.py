"""What a client sees of a signal with faults: an older row, or the last good one with a Bad status.

delay, jitter   the newest row that has arrived
drop            the newest of these that was not lost
bad             the last row before the fault
force           the same row, with the values that were chosen for it
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from asyncua import ua

from twincell.server.opcua.command.force import ForcedRing, forces_among, status_in
from twincell.server.opcua.fault.protocol_fault import Kind, SignalFault
from twincell.server.realtime.shared.ring import Ring, Row

SENSOR_FAILURE = int(ua.StatusCodes.BadSensorFailure)  # status of a signal that is bad
GOOD = int(ua.StatusCodes.Good)


class Seen(NamedTuple):
    """A row, and the status that faults give its values: Good, forced or bad."""

    row: Row
    status: int


def seen_row(ring: Ring, end: int, faults: Sequence[SignalFault]) -> Seen:
    """What is seen when the newest row is the one before `end`."""
    acting = [fault for fault in faults if fault.acts]
    for fault in acting:
        if fault.kind is Kind.BAD:
            return Seen(fault.last, SENSOR_FAILURE)
    forces = forces_among(faults)
    if forces:
        ring = ForcedRing(ring, forces)
    end = arrived(end, acting)
    drops = [fault for fault in acting if fault.kind is Kind.DROP]
    first = min((fault.first for fault in drops), default=end)
    numbers = np.arange(max(ring.oldest, min(first, end) - 1), end)
    lost = np.zeros(len(numbers), dtype=bool)
    for fault in drops:
        lost |= fault.loses(numbers)
    newest = int(numbers[~lost][-1]) if not lost.all() else -1
    rows = ring.read(newest, newest + 1)
    if newest < 0 or not len(rows.stamp):  # the ring has come around since the last one
        return Seen(min(drops or acting, key=lambda fault: fault.first).last, GOOD)
    return Seen(Row(rows.values[0], int(rows.stamp[0])), status_in(newest, forces))


def arrived(end: int, faults: Sequence[SignalFault]) -> int:
    """Up to which of the rows before `end` have arrived, one fault after the other."""
    for fault in faults:
        end = fault.arrived(end)
    return end
