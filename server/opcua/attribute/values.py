"""Values of the newest row, as a client reads them."""

from asyncua import ua

from server.opcua.attribute.loop_status import value_status
from server.opcua.space.variable import Variable
from server.opcua.wire.wire_time import to_datetime
from server.realtime.link import Link
from server.realtime.ring import Rows


class PinnedRow:
    """One row: all values read from it belong to the same tick."""

    def __init__(self, status: int, rows: Rows | None) -> None:
        self._status = ua.StatusCode(status)
        # a Bad status has no value: an old one beside it would be taken for a true one
        self._row = None if rows is None or self._status.is_bad() else rows.values[0]
        self._time = None if rows is None else to_datetime(int(rows.stamp[0]))

    def read(self, variable: Variable) -> ua.DataValue:
        """Value of a variable with the row's source time."""
        if self._row is None:
            return ua.DataValue(StatusCode=self._status)
        value = variable.variant(self._row)
        return ua.DataValue(value, StatusCode=self._status, SourceTimestamp=self._time)


class CellValues:
    """The cell's variables now."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def pin(self) -> PinnedRow:
        """The newest row, kept: for values that are to belong together."""
        return PinnedRow(value_status(self._link), self._link.ring.newest())

    def read(self, variable: Variable) -> ua.DataValue:
        """Value of one variable in the newest row."""
        return self.pin().read(variable)
