"""All protocol faults of a server: they begin, end by themselves or are cleared, and can be seen.

They live in the process that serves clients, and end with it: the cell knows nothing of them.
Whoever works with values looks at `of_signals` or `of_clients`, which are empty as long as there is
no fault, and at `version`, which grows whenever these change. Broken wires of sensors, which rows
tell of by themselves, are in `of_signals` as well; they are faults of the cell, and no others here.
"""

import time
from collections.abc import Collection
from typing import NamedTuple
from weakref import WeakSet

from asyncua import ua

from twincell.server.opcua.command.arbitration import Commander
from twincell.server.opcua.command.force import Force
from twincell.server.opcua.command.forced_commands import ForcedCommands
from twincell.server.opcua.fault.broken_wires import BrokenWires
from twincell.server.opcua.fault.pattern import is_of_clients, variables_meant
from twincell.server.opcua.fault.protocol_fault import (
    ClientFault,
    Kind,
    ProtocolFault,
    SignalFault,
)
from twincell.server.opcua.space.variable import Variable
from twincell.server.opcua.wire.detour import Detour
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.ring import Row
from twincell.sim.signals import Signal, SignalTable

MOST_FAULTS = 32  # at a time; chosen
MOST_OVER = 64  # that are remembered; chosen: who publishes too seldom hears nothing of older ones


class Change(NamedTuple):
    """A fault has begun or ended."""

    fault: ProtocolFault
    has_begun: bool
    row: int  # the newest one then


class ProtocolFaults:
    """The faults that act, and those whose traces can still be found in rows."""

    def __init__(
        self, link: Link, variables: Collection[Variable], signals: SignalTable, step_s: float
    ) -> None:
        self._ring = ring = link.ring
        self.commands = ForcedCommands(link)
        self._variables = variables
        self._signals = signals
        self._step_s = step_s
        self._acting: dict[str, ProtocolFault] = {}  # by name
        self._wires = BrokenWires(ring, signals, step_s)
        self._over: list[SignalFault] = []  # whose rows the ring still has
        self._changes: list[Change] = []
        self.version = 0
        self.injected = 0  # so far
        self.of_signals: dict[str, tuple[SignalFault, ...]] = {}  # by name of the variable
        self.of_clients: tuple[ClientFault, ...] = ()
        self.detours: WeakSet[Detour] = WeakSet()  # where answers are held up

    @property
    def acting(self) -> list[ProtocolFault]:
        """All that are not over."""
        return list(self._acting.values())

    @property
    def signal_names(self) -> list[str]:
        """Everything that a fault of signals may be for."""
        return [one.name for one in self._variables]

    def longest_ms(self, name: str, target: str) -> float:
        """By how much a fault may delay values, besides the others that delay the same ones.

        Longer ago, the ring may have lost them.
        """
        longest = self._ring.readable // 2 * self._step_s * 1e3
        meant = variables_meant(target, self._variables, self._signals)
        others = [
            [fault.amount for fault in self.of_signals.get(one, ()) if fault.delays_besides(name)]
            for one in meant
        ]
        return max(0.0, longest - max(map(sum, others), default=0.0))

    def inject(
        self, session: Commander, kind: Kind, target: str, amount: float, seconds: float
    ) -> ProtocolFault:
        """Let a fault begin, instead of the one of this kind and target; raises Bad..."""
        ends_s = time.monotonic() + seconds if seconds > 0.0 else float("inf")
        fault: ProtocolFault
        if is_of_clients(target):
            fault = ClientFault(kind, target, amount, ends_s, session)
        else:
            fault = self._signal_fault(kind, target, amount, ends_s)
        self._begin(fault)
        return fault

    def force(self, signal: Signal, value: float, seconds: float) -> Force:
        """Hold a signal at a value, instead of the one that it was held at; raises Bad..."""
        ends_s = time.monotonic() + seconds if seconds > 0.0 else float("inf")
        first, last = self._next_and_newest()
        is_command = signal in self._signals.commands
        names = frozenset(one.name for one in self._variables if signal.column in one.columns)
        fault = Force(
            Kind.FORCE,
            signal.name,
            value,
            ends_s,
            frozenset() if is_command else names,
            first,
            last,
            self._step_s,
            signal=signal,
        )
        self._check_room(fault)
        if is_command and not self.commands.hold(signal.column, value):
            raise ua.uaerrors.BadResourceUnavailable
        self._begin(fault)
        return fault

    def _check_room(self, fault: ProtocolFault) -> None:
        if fault.name not in self._acting and len(self._acting) >= MOST_FAULTS:
            raise ua.uaerrors.BadResourceUnavailable

    def _begin(self, fault: ProtocolFault) -> None:
        self._check_room(fault)
        self._end(fault.name)
        self._acting[fault.name] = fault
        self.injected += 1
        self._changed(fault, has_begun=True)

    def _signal_fault(self, kind: Kind, target: str, amount: float, ends_s: float) -> SignalFault:
        names = variables_meant(target, self._variables, self._signals)
        if not names:
            raise ua.uaerrors.BadNotFound
        first, last = self._next_and_newest()
        return SignalFault(kind, target, amount, ends_s, names, first, last, self._step_s)

    def _next_and_newest(self) -> tuple[int, Row]:
        """The number of the next row, and the one before it."""
        newest = self._ring.newest()
        if newest is None:
            raise ua.uaerrors.BadInvalidState  # there is no value yet that could be kept
        return newest.first + 1, Row(newest.values[0], int(newest.stamp[0]))

    def clear(self, name: str | None = None) -> bool:
        """End one fault, or all; whether there was any."""
        names = [name] if name is not None else list(self._acting)
        ended = [fault for name in names if (fault := self._end(name)) is not None]
        for fault in ended:
            if isinstance(fault, Force) and fault.is_of_command:
                self.commands.release(fault.signal.column)
            self._changed(fault, has_begun=False)
        return bool(ended)

    def see_rows(self, end: int) -> None:
        """Learn from the rows before `end` which wires are broken."""
        n_begun, over = self._wires.look(end)
        if n_begun or over:
            self._over = [*self._over, *over][-MOST_OVER:]
            self._list()

    def look(self) -> None:
        """End what has lasted long enough, and forget what has left no trace."""
        self.see_rows(self._ring.written)
        self.commands.look()
        if not self._acting and not self._over:
            return
        now_s = time.monotonic()
        for name in [name for name, fault in self._acting.items() if fault.ends_s <= now_s]:
            self.clear(name)
        oldest = self._ring.oldest
        kept = [fault for fault in self._over if fault.end is not None and fault.end > oldest]
        if len(kept) < len(self._over):
            self._over = kept
            self._list()

    def take_changes(self) -> list[Change]:
        """What has begun and ended since this was last asked."""
        changes, self._changes = self._changes, []
        return changes

    def _end(self, name: str) -> ProtocolFault | None:
        fault = self._acting.pop(name, None)
        if isinstance(fault, SignalFault):
            fault.end = self._ring.written
            if fault.has_left_traces:
                self._over = [*self._over, fault][-MOST_OVER:]
        return fault

    def _changed(self, fault: ProtocolFault, has_begun: bool) -> None:
        self._changes.append(Change(fault, has_begun, self._ring.written - 1))
        self._list()
        if isinstance(fault, ClientFault) and not has_begun:
            for detour in list(self.detours):
                detour.release()

    def _list(self) -> None:
        """Write the lists anew that others look at."""
        self.version += 1
        acting = self._acting.values()
        self.of_clients = tuple(one for one in acting if isinstance(one, ClientFault))
        of_signals: dict[str, tuple[SignalFault, ...]] = {}
        for fault in (*self._over, *acting, *self._wires.acting):
            if isinstance(fault, SignalFault):
                for name in fault.names:
                    of_signals[name] = (*of_signals.get(name, ()), fault)
        self.of_signals = of_signals
