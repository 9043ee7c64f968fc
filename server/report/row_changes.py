"""What happened to tools, drives and fault levers, read off rows.

Partners that changed, drives that reached their limit, levers that were moved.

Two rows that follow each other by one tick are compared. Across a reset or a restore the tick
jumps: what differs there was put back, it did not happen.
"""

from dataclasses import dataclass

import numpy as np

from twincell.server.realtime.shared.ring import Floats
from twincell.server.report.signal_text import lever_text
from twincell.sim.signals import Direction, Kind, Signal, SignalTable


@dataclass(frozen=True)
class Change:
    """A watched signal that changed."""

    row: int  # number of the row in which it is new
    signal: Signal
    before: float
    after: float

    @property
    def object(self) -> str:
        return self.signal.name.split(".", 1)[0]

    @property
    def is_partner(self) -> bool:
        """Whether a tool went from hand to hand."""
        return self.signal.kind is Kind.STRING

    @property
    def is_fault(self) -> bool:
        """Whether a fault lever was moved."""
        return self.signal.direction is Direction.FAULT

    @property
    def partners(self) -> tuple[str, str]:
        """Who held the object before and after; "" is nobody."""
        return self.signal.texts[int(self.before)], self.signal.texts[int(self.after)]

    @property
    def joint(self) -> int:
        """The joint of the drive."""
        return int(self.signal.name.rsplit(".", 1)[1])

    @property
    def type_name(self) -> str:
        """What kind of event this is, as OPC UA clients know it."""
        if self.is_fault:
            return fault_event_type(bool(self.after))
        if not self.is_partner:
            return "OverloadEventType"
        before, after = self.partners
        if before and after:
            return "PartnerChangedEventType"
        return "ToolAttachedEventType" if after else "ToolReleasedEventType"

    @property
    def text(self) -> str:
        if self.is_fault:
            lever = lever_text(self.signal, self.after or self.before)
            return fault_text(lever, bool(self.after))
        if not self.is_partner:
            return f"{self.object}: the drive of joint {self.joint} is at its greatest torque"
        before, after = self.partners
        if before and after:
            return f"{self.object} went from {before} to {after}"
        return (
            f"{self.object} attached to {after}" if after else f"{self.object} released by {before}"
        )


class RowChanges:
    """Finds changes in rows that are given to it one part after the other."""

    def __init__(self, signals: SignalTable) -> None:
        partners = [s for s in signals if s.name.endswith(".Partner") and s.kind is Kind.STRING]
        overloads = [s for s in signals if ".Overload." in s.name and s.kind is Kind.BOOLEAN]
        self._watched = [*partners, *overloads, *signals.faults]
        self.columns = np.array([signal.column for signal in self._watched], dtype=np.int64)
        self._before: Floats = np.empty((0, len(self._watched)))
        self._tick_before: Floats = np.empty(0)

    def find(self, first: int, values: Floats, ticks: Floats) -> list[Change]:
        """Changes up to these rows, of which the watched columns and ticks are given."""
        values = np.concatenate([self._before, values])
        ticks = np.concatenate([self._tick_before, ticks])
        first -= len(self._before)
        self._before, self._tick_before = values[-1:], ticks[-1:]
        follows = np.diff(ticks) == 1.0
        changed = (np.diff(values, axis=0) != 0.0) & follows[:, None]
        changes = [
            Change(first + int(row) + 1, self._watched[which], *values[row : row + 2, which])
            for row, which in np.argwhere(changed)
        ]
        return [one for one in changes if one.is_partner or one.is_fault or one.after]


def fault_event_type(is_there: bool) -> str:
    """What kind of event it is when a fault is there from now on, or is not."""
    return "FaultInjectedEventType" if is_there else "FaultClearedEventType"


def fault_text(fault: str, has_begun: bool) -> str:
    """What a person reads about a fault that begins, or ends."""
    return f"{fault}: {'injected' if has_begun else 'cleared'}"
