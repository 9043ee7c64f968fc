"""Values of the newest row, as a client reads them."""

from asyncua import ua

from twincell.server.opcua.attribute.loop_status import value_status
from twincell.server.opcua.fault.protocol_fault import SignalFault
from twincell.server.opcua.fault.protocol_faults import ProtocolFaults
from twincell.server.opcua.fault.seen_row import SENSOR_FAILURE, Seen, seen_row
from twincell.server.opcua.space.variable import Variable
from twincell.server.opcua.wire.wire_time import to_datetime
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.ring import Ring, Rows


class PinnedRow:
    """One row: all values read from it belong to the same tick."""

    def __init__(self, status: int, rows: Rows | None, ring: Ring, faults: ProtocolFaults) -> None:
        self._status = ua.StatusCode(status)
        self._end = 0 if rows is None else rows.first + 1
        self._ring = ring
        self._faults = faults
        self._seen: dict[tuple[SignalFault, ...], Seen] = {}  # signals share most faults
        # a Bad status has no value: an old one beside it would be taken for a true one
        self._row = None if rows is None or self._status.is_bad() else rows.values[0]
        self._time = None if rows is None else to_datetime(int(rows.stamp[0]))

    def read(self, variable: Variable) -> ua.DataValue:
        """Value of a variable with the row's source time."""
        if self._row is None:
            return ua.DataValue(StatusCode=self._status)
        faults = self._faults.of_signals.get(variable.name)
        if faults:
            return self._read_through(faults, variable)
        value = variable.variant(self._row)
        return ua.DataValue(value, StatusCode=self._status, SourceTimestamp=self._time)

    def _read_through(self, faults: tuple[SignalFault, ...], variable: Variable) -> ua.DataValue:
        """Value of a variable as its faults let it through."""
        seen = self._seen.get(faults)
        if seen is None:
            seen = self._seen[faults] = seen_row(self._ring, self._end, faults)
        row, by_faults = seen
        is_told = by_faults == SENSOR_FAILURE or self._status.value == ua.StatusCodes.Good
        status = ua.StatusCode(by_faults) if is_told else self._status
        time = to_datetime(row.stamp)
        return ua.DataValue(variable.variant(row.values), StatusCode=status, SourceTimestamp=time)


class CellValues:
    """The cell's variables now."""

    def __init__(self, link: Link, faults: ProtocolFaults) -> None:
        self._link = link
        self._faults = faults

    def pin(self) -> PinnedRow:
        """The newest row, kept: for values that are to belong together."""
        ring = self._link.ring
        newest = ring.newest()
        if newest is not None:
            self._faults.see_rows(newest.first + 1)
        return PinnedRow(value_status(self._link), newest, ring, self._faults)

    def read(self, variable: Variable) -> ua.DataValue:
        """Value of one variable in the newest row."""
        return self.pin().read(variable)
