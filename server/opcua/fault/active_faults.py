"""The list of all faults that were injected: levers that are not 0, and protocol faults."""

from twincell.server.opcua.fault.protocol_faults import ProtocolFaults
from twincell.server.realtime.shared.ring import Ring
from twincell.server.report.signal_text import lever_text
from twincell.sim.signals import SignalTable


class ActiveFaults:
    """What is broken now."""

    def __init__(self, ring: Ring, signals: SignalTable, protocol: ProtocolFaults) -> None:
        self._ring = ring
        self._levers = signals.faults
        self._protocol = protocol

    def texts(self) -> list[str]:
        """All of them in words, levers first: Stand1.Fault.Empty, delay Tool1.* = 50 ms."""
        return [*self._lever_texts(), *(fault.text for fault in self._protocol.acting)]

    def _lever_texts(self) -> list[str]:
        newest = self._ring.newest() if self._levers else None
        if newest is None:
            return []
        row = newest.values[0]
        return [lever_text(one, row[one.column]) for one in self._levers if row[one.column] != 0.0]
