"""Events, found by looking through the rows of the ring: no tick is missed, none is slowed."""

import time

import numpy as np
from asyncua import ua

from twincell.server.opcua.command.arbitration import Control
from twincell.server.opcua.fault.protocol_faults import ProtocolFaults
from twincell.server.opcua.space.space import CellSpace
from twincell.server.opcua.subscription.cell_event import (
    NORMAL,
    SERIOUS,
    WARNING,
    CellEvent,
    Moment,
    new_event,
    no_moment,
)
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.ring import Floats
from twincell.server.report.row_changes import Change, RowChanges, fault_event_type, fault_text
from twincell.sim.signals import SignalTable

OVERRUN_EVERY_S = 1.0  # a busy machine must not bury the other events


class EventScanner:
    """Finds what happened since it last looked."""

    def __init__(
        self,
        link: Link,
        signals: SignalTable,
        space: CellSpace,
        control: Control,
        faults: ProtocolFaults,
    ) -> None:
        self._link = link
        self._signals = signals
        self._space = space
        self._control = control
        self._faults = faults
        self._row_changes = RowChanges(signals)
        self._columns = np.append(self._row_changes.columns, link.ring.tick_column)
        # from the newest row on: what is older, nobody has been connected to hear of
        self._next = max(link.ring.written - 1, 0)
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
        self._next = rows.first + len(rows.values)
        found = self._row_changes.find(rows.first, rows.values[:, :-1], rows.values[:, -1])
        return [self._changed(one) for one in found]

    def _changed(self, change: Change) -> CellEvent:
        if change.is_partner:
            return self._partner(change)
        if change.is_fault:
            moment, _ = self._row(change.row)
            name = change.signal.name
            value, is_there = change.after, bool(change.after)
            return self._fault_event(change.object, moment, name, value, change.text, is_there)
        return self._overload(change)

    def _partner(self, change: Change) -> CellEvent:
        name, (old, new) = change.object, change.partners
        moment, load = self._row(change.row, name)
        if not new:
            _, load = self._row(change.row - 1, name)  # what it carried last
        own = {
            "Object": _string(name),
            "Partner": _string(new),
            "PreviousPartner": _string(old),
            "Force": _vector(load[:3]),
            "Torque": _vector(load[3:]),
        }
        return self._event(change.type_name, name, moment, change.text, NORMAL, own)

    def _overload(self, change: Change) -> CellEvent:
        moment, _ = self._row(change.row)
        joint = ua.Variant(change.joint, ua.VariantType.Int32)
        own = {"Robot": _string(change.object), "Joint": joint}
        return self._event(change.type_name, change.object, moment, change.text, SERIOUS, own)

    def _protocol_faults(self) -> list[CellEvent]:
        return [
            self._fault_event(
                "Simulation",
                self._row(row)[0] if row >= 0 else no_moment(),
                fault.name,
                fault.amount if has_begun else 0.0,
                fault_text(fault.text, has_begun),
                has_begun,
            )
            for fault, has_begun, row in self._faults.take_changes()
        ]

    def _fault_event(
        self, source: str, moment: Moment, name: str, value: float, text: str, is_there: bool
    ) -> CellEvent:
        """A fault has begun, or changed, or is over: then its value is 0."""
        severity = WARNING if is_there else NORMAL
        own = {"Name": _string(name), "Value": ua.Variant(float(value), ua.VariantType.Double)}
        return self._event(fault_event_type(is_there), source, moment, text, severity, own)

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
        ticks = "tick" if count == 1 else "ticks"
        text = f"{count} {ticks} took too long; the latest began {worst_us:.0f} us late"
        moment = self._now()
        return [self._event("LoopOverrunEventType", "Simulation", moment, text, WARNING, own)]

    def _lost_controllers(self) -> list[CellEvent]:
        return [
            self._event(
                "ControllerLostEventType",
                "Cell",
                self._now(),
                loss.text,
                SERIOUS,
                {
                    "Controller": _string(loss.who),
                    "SilentFor": ua.Variant(loss.silent_s, ua.VariantType.Double),
                    "Reaction": _string(loss.reaction),
                },
            )
            for loss in self._control.take_lost()
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


def _string(text: str) -> ua.Variant:
    return ua.Variant(text, ua.VariantType.String)


def _vector(numbers: Floats) -> ua.Variant:
    return ua.Variant(ua.ThreeDVector(*numbers.tolist()), ua.VariantType.ExtensionObject)
