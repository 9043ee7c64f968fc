"""Events, found by looking through the ring's discrete columns: no tick is missed, none is slowed.

Two rows that follow each other by one tick are compared. Across a reset or a restore the tick
jumps: what differs there was put back, it did not happen, and is no event.
"""

import time

import numpy as np
from asyncua import ua

from server.lever_text import lever_text
from server.opcua.attribute.control import Control
from server.opcua.fault.protocol_faults import ProtocolFaults
from server.opcua.space.space import CellSpace
from server.opcua.subscription.cell_event import (
    NORMAL,
    SERIOUS,
    WARNING,
    CellEvent,
    Moment,
    new_event,
    no_moment,
)
from server.realtime.link import Link
from server.realtime.ring import Floats
from sim.signals import Direction, Signal, SignalTable
from sim.spec.cell import CellSpec

OVERRUN_EVERY_S = 1.0  # a busy machine must not bury the other events


class EventScanner:
    """Finds what happened since it last looked."""

    def __init__(
        self,
        link: Link,
        signals: SignalTable,
        spec: CellSpec,
        space: CellSpace,
        control: Control,
        faults: ProtocolFaults,
    ) -> None:
        self._link = link
        self._signals = signals
        self._space = space
        self._control = control
        self._faults = faults
        partners = [signals[f"{name}.Partner"] for name in spec.constrained_object]
        overloads = [s for s in signals if ".Overload." in s.name and _owner(s) in spec.robot]
        self._watched = [*partners, *overloads, *signals.faults]
        self._n_partner = len(partners)
        self._columns = np.array([*(s.column for s in self._watched), link.ring.tick_column])
        # from the newest row on: what is older, nobody has been connected to hear of
        self._next = max(link.ring.written - 1, 0)
        self._before: Floats = np.empty((0, len(self._columns)))
        self._overruns = link.vitals["overruns"]
        self._overrun_row = link.ring.written
        self._overrun_at_s = -OVERRUN_EVERY_S

    def scan(self) -> list[CellEvent]:
        """Events since the last scan, in the order of their ticks."""
        return [
            *self._changes(),
            *self._protocol_faults(),
            *self._overrun(),
            *self._lost_controllers(),
        ]

    def _changes(self) -> list[CellEvent]:
        written = self._link.ring.written
        if written == self._next:
            return []
        rows = self._link.ring.read(self._next, written, self._columns)
        values = np.concatenate([self._before, rows.values])
        first = rows.first - len(self._before)
        self._next = rows.first + len(rows.values)
        self._before = values[-1:]
        if not len(self._watched):
            return []
        follows = np.diff(values[:, -1]) == 1.0
        changed = (np.diff(values[:, :-1], axis=0) != 0.0) & follows[:, None]
        events = []
        for row, which in np.argwhere(changed):
            before, after = values[row, which], values[row + 1, which]
            event = self._change(int(which), first + int(row) + 1, before, after)
            if event is not None:
                events.append(event)
        return events

    def _change(self, which: int, row: int, before: float, after: float) -> CellEvent | None:
        signal = self._watched[which]
        if which < self._n_partner:
            old, new = signal.texts[int(before)], signal.texts[int(after)]
            return self._partner_event(signal, row, old, new)
        if signal.direction is Direction.FAULT:
            name, text = signal.name, lever_text(signal, after or before)
            return self._fault_event(_owner(signal), self._row(row)[0], name, after, text)
        return self._overload_event(signal, row) if after else None

    def _partner_event(self, signal: Signal, row: int, old: str, new: str) -> CellEvent:
        name = _owner(signal)
        moment, load = self._row(row, name)
        if old and new:
            type_name, text = "PartnerChangedEventType", f"{name} went from {old} to {new}"
        elif new:
            type_name, text = "ToolAttachedEventType", f"{name} attached to {new}"
        else:
            type_name, text = "ToolReleasedEventType", f"{name} released by {old}"
            _, load = self._row(row - 1, name)  # what it carried last
        own = {
            "Object": _string(name),
            "Partner": _string(new),
            "PreviousPartner": _string(old),
            "Force": _vector(load[:3]),
            "Torque": _vector(load[3:]),
        }
        return self._event(type_name, name, moment, text, NORMAL, own)

    def _overload_event(self, signal: Signal, row: int) -> CellEvent:
        robot, joint = _owner(signal), int(signal.name.rsplit(".", 1)[1])
        moment, _ = self._row(row)
        own = {"Robot": _string(robot), "Joint": ua.Variant(joint, ua.VariantType.Int32)}
        text = f"{robot}: the drive of joint {joint} is at its greatest torque"
        return self._event("OverloadEventType", robot, moment, text, SERIOUS, own)

    def _protocol_faults(self) -> list[CellEvent]:
        return [
            self._fault_event(
                "Simulation",
                self._row(row)[0] if row >= 0 else no_moment(),
                fault.name,
                fault.amount if has_begun else 0.0,
                fault.text,
            )
            for fault, has_begun, row in self._faults.take_changes()
        ]

    def _fault_event(
        self, source: str, moment: Moment, name: str, value: float, text: str
    ) -> CellEvent:
        """A fault has begun, or changed, or is over: then its value is 0."""
        type_name = "FaultInjectedEventType" if value else "FaultClearedEventType"
        done, severity = ("injected", WARNING) if value else ("cleared", NORMAL)
        own = {"Name": _string(name), "Value": ua.Variant(float(value), ua.VariantType.Double)}
        return self._event(type_name, source, moment, f"{text}: {done}", severity, own)

    def _overrun(self) -> list[CellEvent]:
        overruns, now = self._link.vitals["overruns"], time.monotonic()
        if overruns < self._overruns:
            self._overruns = 0  # the loop was restarted and counts anew
        count = overruns - self._overruns
        if count == 0 or now - self._overrun_at_s < OVERRUN_EVERY_S:
            return []
        written = self._link.ring.written
        late_ns = self._link.ring.lateness(written - self._overrun_row)
        worst_us = float(late_ns.max(initial=0)) / 1e3
        self._overruns, self._overrun_row, self._overrun_at_s = overruns, written, now
        own = {
            "Overruns": ua.Variant(count, ua.VariantType.Int64),
            "LatenessUs": ua.Variant(worst_us, ua.VariantType.Double),
        }
        text = f"{count} ticks took too long; the latest began {worst_us:.0f} us late"
        moment = self._now()
        return [self._event("LoopOverrunEventType", "Simulation", moment, text, WARNING, own)]

    def _lost_controllers(self) -> list[CellEvent]:
        return [
            self._event(
                "ControllerLostEventType",
                "Cell",
                self._now(),
                f"{who} commanded the cell and has gone; its commands stay",
                SERIOUS,
                {"Controller": _string(who)},
            )
            for who in self._control.take_lost()
        ]

    def _event(
        self,
        type_name: str,
        source: str,
        moment: Moment,
        text: str,
        severity: int,
        own: dict[str, ua.Variant],
    ) -> CellEvent:
        node = self._space.nodes.get(source) or self._space.node_id(source)
        type_id = self._space.event_types[type_name]
        message = f"{text} (tick {moment.tick})"
        return new_event(type_name, type_id, (source, node), moment, message, severity, own)

    def _row(self, number: int, name: str | None = None) -> tuple[Moment, Floats]:
        """When a row was, and the load on an object in it."""
        quantities = ("Force", "Torque") if name else ()
        signals = [self._signals[f"{name}.{q}.{axis}"] for q in quantities for axis in "XYZ"]
        columns = np.array([self._link.ring.tick_column, *(s.column for s in signals)])
        rows = self._link.ring.read(number, number + 1, columns)
        if len(rows.values) == 0:  # overtaken: this process hung for as long as the ring is
            return no_moment(), np.zeros(len(signals))
        return Moment(int(rows.values[0, 0]), int(rows.stamp[0])), rows.values[0, 1:]

    def _now(self) -> Moment:
        """The newest row's tick."""
        written = self._link.ring.written
        return self._row(written - 1)[0] if written else no_moment()


def _owner(signal: Signal) -> str:
    return signal.name.split(".", 1)[0]


def _string(text: str) -> ua.Variant:
    return ua.Variant(text, ua.VariantType.String)


def _vector(numbers: Floats) -> ua.Variant:
    return ua.Variant(ua.ThreeDVector(*numbers.tolist()), ua.VariantType.ExtensionObject)
