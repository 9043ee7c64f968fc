"""Methods that move fault levers: InjectFault and ClearFaults.

A fault is no command: whoever commands the cell goes on doing so, the timeline too. Levers are
handed over like commands, as one batch that a tick latches, so they are in rows and recordings. But
the demo may break nothing while a client commands.

A refused call has no text in OPC UA, so the log says why.
"""

import logging
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from asyncua import ua

from twincell.server.opcua.attribute.loop_status import is_down
from twincell.server.opcua.command.arbitration import Commander, Control, shown_name
from twincell.server.opcua.command.commands import check_number
from twincell.server.opcua.fault.protocol_faults import ProtocolFaults
from twincell.server.opcua.method.arguments import out_of_range
from twincell.server.opcua.method.methods import Method
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.vitals import LoopState
from twincell.sim.signals import Signal, SignalTable, lever_range

LONGEST_SHOWN = 100  # characters of a name in the log; chosen
NAME, VALUE = range(2)  # the arguments

log = logging.getLogger("twincell.opcua")


class FaultMethods:
    """What an engineer may break, and repair."""

    def __init__(
        self, signals: SignalTable, link: Link, control: Control, protocol: ProtocolFaults
    ) -> None:
        self._levers = {lever.name: lever for lever in signals.faults}
        self._link = link
        self._control = control
        self._protocol = protocol

    def by_name(self) -> dict[str, Method]:
        """The methods, by the names of their nodes."""
        return {
            "Simulation.InjectFault": self.inject,
            "Simulation.ClearFaults": self.clear,
        }

    async def inject(self, session: Commander, arguments: list[Any]) -> Sequence[Any]:
        """Move a lever with the next tick; to 0, and the fault is over."""
        self._control.check(session)
        name, value = arguments
        lever = self._lever(name or "")
        least, most = lever_range(lever.limits)
        try:
            check_number(lever, value)
            if not least <= value <= most:
                raise ua.uaerrors.BadOutOfRange
        except ua.uaerrors.UaStatusCodeError:
            why = "%s is of type %s, from %g to %g, and cannot be %g"
            log.warning(why, lever.name, lever.kind, least, most, value)
            raise out_of_range(VALUE, len(arguments)) from None
        self._hand_over([(lever.column, value)])
        log.info("%s set the lever %s to %g", shown_name(session), lever.name, value)
        return ()

    async def clear(self, session: Commander, _: list[Any]) -> Sequence[Any]:
        """Move all levers back with the next tick, and end all protocol faults at once."""
        self._control.check(session)
        self._protocol.clear()  # first: whoever cannot repair the cell can repair the network
        if self._levers:
            self._hand_over([(lever.column, 0.0) for lever in self._levers.values()])
        log.info("%s cleared all faults", shown_name(session))
        return ()

    def _lever(self, name: str) -> Signal:
        lever = self._levers.get(name)
        if lever is not None:
            return lever
        near = get_close_matches(name[:LONGEST_SHOWN], self._levers, n=1)
        hint = f": did you mean {near[0]}?" if near else ""
        log.warning("there is no fault lever %r%s", name[:LONGEST_SHOWN], hint)
        raise ua.uaerrors.BadNotFound

    def _hand_over(self, batch: Sequence[tuple[int, float]]) -> None:
        """Let the next tick latch a batch; raises Bad... when none will."""
        if is_down(self._link.vitals):
            raise ua.uaerrors.BadNoCommunication
        if self._link.vitals.state is LoopState.FAULT:
            log.warning("no lever is moved: the cell has stopped; reset it")
            raise ua.uaerrors.BadInvalidState
        if not self._link.commands.put(batch):
            log.warning("no lever is moved: too many commands wait already")
            raise ua.uaerrors.BadResourceUnavailable
