"""Methods that force signals: ForceSignal and ReleaseSignal.

    ForceSignal(Name, Value, Seconds)      0 s: until it is released

A refused call has no text in OPC UA, so the log says why.
"""

import logging
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from asyncua import ua

from twincell.server.opcua.command.arbitration import Commander, Control, shown_name
from twincell.server.opcua.command.commands import check_number
from twincell.server.opcua.fault.protocol_fault import Kind
from twincell.server.opcua.fault.protocol_faults import ProtocolFaults
from twincell.server.opcua.method.arguments import ArgumentsRefused, out_of_range
from twincell.server.opcua.method.methods import Method
from twincell.server.opcua.method.protocol_fault_methods import LONGEST_S
from twincell.sim import signals as cell_signals
from twincell.sim.signals import Direction, Signal, SignalTable

LONGEST_SHOWN = 100  # characters of a name in the log; chosen
NAME, VALUE, SECONDS = range(3)  # the arguments

log = logging.getLogger("twincell.opcua")


class ForceMethods:
    """Holds signals at values, and lets go of them."""

    def __init__(self, signals: SignalTable, faults: ProtocolFaults, control: Control) -> None:
        self._signals = {one.name: one for one in signals if one.direction is not Direction.FAULT}
        self._faults = faults
        self._control = control

    def by_name(self) -> dict[str, Method]:
        """The methods, by the names of their nodes."""
        return {"Simulation.ForceSignal": self.force, "Simulation.ReleaseSignal": self.release}

    async def force(self, session: Commander, arguments: list[Any]) -> Sequence[Any]:
        """Hold a signal at a value from the next tick on."""
        self._control.check(session)
        name, value, seconds = arguments
        signal = self._signal(name or "")
        try:
            check_number(signal, value)
        except ua.uaerrors.UaStatusCodeError:
            log.warning("%s is of type %s, and cannot be %g", signal.name, signal.kind, value)
            raise out_of_range(VALUE, len(arguments)) from None
        if not 0.0 <= seconds <= LONGEST_S:
            log.warning("%g s are not from 0 to %g", seconds, LONGEST_S)
            raise out_of_range(SECONDS, len(arguments))
        fault = self._faults.force(signal, float(value), seconds)
        until = f"for {seconds:g} s" if seconds else "until it is released"
        log.info("%s began to %s %s", shown_name(session), fault.text, until)
        return ()

    async def release(self, session: Commander, arguments: list[Any]) -> Sequence[Any]:
        """Let a signal be what it is."""
        self._control.check(session)
        (name,) = arguments
        if not self._faults.clear(f"{Kind.FORCE} {name or ''}"):
            log.warning("%r is not forced", (name or "")[:LONGEST_SHOWN])
            raise ua.uaerrors.BadNotFound
        log.info("%s released %s", shown_name(session), name)
        return ()

    def _signal(self, name: str) -> Signal:
        signal = self._signals.get(name)
        if signal is None:
            near = get_close_matches(name[:LONGEST_SHOWN], self._signals, n=1)
            hint = f": did you mean {near[0]}?" if near else ""
            log.warning("no signal that can be forced is called %r%s", name[:LONGEST_SHOWN], hint)
            raise ua.uaerrors.BadNotFound
        if signal.kind is cell_signals.Kind.STRING:
            log.warning("%s is a text, and only numbers and switches can be forced", name)
            codes = (ua.StatusCodes.BadTypeMismatch, ua.StatusCodes.Good, ua.StatusCodes.Good)
            raise ArgumentsRefused(codes)
        return signal
