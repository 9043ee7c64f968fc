"""Values that do not come from rows: how the simulation runs, and who commands.

They are worked out when a client asks. Only the real time factor needs somebody to look at the
clock now and then: `look`, about ten times a second.
"""

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np
from asyncua import ua
from asyncua.server.address_space import AddressSpace

from twincell.server.opcua.attribute.loop_status import is_down
from twincell.server.opcua.command.arbitration import Control
from twincell.server.opcua.fault.active_faults import ActiveFaults
from twincell.server.realtime.rates import Rates
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.vitals import LoopState

LATENESS_TICKS = 10_000
LATENESS_KEPT_S = 0.5  # a percentile of so many numbers is not worked out for every read
FACTOR_OVER_S = 1.0  # how far back the real time factor looks
LOOK_EVERY_S = 0.09  # a little less than the pace at which `look` is called


class SimulationValues:
    """The slow values of a cell, by the names of their nodes."""

    def __init__(self, link: Link, control: Control, step_s: float, faults: ActiveFaults) -> None:
        self._link = link
        self._control = control
        self._faults = faults
        self._step_s = step_s
        self._rows = Rates(FACTOR_OVER_S)
        self._lateness = (-LATENESS_KEPT_S, 0.0)  # when, and its percentile [us]
        self.look()

    def attach(self, aspace: AddressSpace, slow: Mapping[str, ua.NodeId]) -> None:
        """Let the nodes answer with these values."""
        attach(self._by_name(), aspace, slow)

    def look(self) -> None:
        """Remember how far the cell is, and show who commands."""
        if time.monotonic() - self._rows.looked_s >= LOOK_EVERY_S:
            self._rows.look(self._link.ring.written)
            self._control.show()

    def _by_name(self) -> dict[str, Callable[[], Any]]:
        vitals, recording = self._link.vitals, self._link.recording
        return {
            "Cell.Control": lambda: self._control.text,
            "Simulation.State": self._state,
            "Simulation.Speed": lambda: vitals.speed,
            "Simulation.RealTimeFactor": self._real_time_factor,
            "Simulation.Overruns": lambda: vitals["overruns"],
            "Simulation.Slips": lambda: vitals["slips"],
            "Simulation.ContactsUnsettled": lambda: vitals["unsettled"],
            "Simulation.ContactsLeftOut": lambda: vitals["left_out"],
            "Simulation.LatenessP99": self._lateness_p99,
            "Simulation.WorstLateness": lambda: vitals["worst_late_ns"] / 1e3,
            # seconds of the loop's own clock: stands still when the loop does
            "Simulation.Heartbeat": lambda: vitals["beat_ns"] // 1_000_000_000,
            "Simulation.Fault": lambda: vitals.text("fault"),
            "Simulation.Rights": lambda: vitals.text("rights"),
            "Simulation.Restarts": lambda: vitals["restarts"],
            "Simulation.Resets": lambda: vitals["resets"],
            "Simulation.TimeMode": lambda: vitals.mode.text,
            "Simulation.CycleTime": lambda: vitals["cycle_ticks"] * self._step_s * 1e3,
            "Simulation.CycleCounter": lambda: ua.Variant(vitals["counter"], ua.VariantType.UInt32),
            "Simulation.ControllerLost": lambda: self._control.is_controller_lost,
            "Simulation.Recording": lambda: recording.file,
            "Simulation.RecordedRows": lambda: recording.rows,
            "Simulation.LostRows": lambda: recording.lost,
            "Simulation.RecordingError": lambda: recording.error,
            "Simulation.ActiveFaults": self._faults.texts,
            "Simulation.FaultCount": lambda: len(self._faults.texts()),
        }

    def _state(self) -> str:
        state = LoopState.DOWN if is_down(self._link.vitals) else self._link.vitals.state
        return state.name.capitalize()

    def _real_time_factor(self) -> float:
        """Simulated time over wall time, of the last second; 0 unless the cell runs."""
        if self._state() != "Running":
            return 0.0
        (rate,) = self._rows.a_second(self._link.ring.written)
        return rate * self._step_s

    def _lateness_p99(self) -> float:
        """How late 99 of 100 ticks began at most [us]."""
        now = time.monotonic()
        if now - self._lateness[0] >= LATENESS_KEPT_S:
            late_ns = self._link.ring.lateness(LATENESS_TICKS)
            p99_us = float(np.percentile(late_ns, 99)) / 1e3 if len(late_ns) else 0.0
            self._lateness = (now, p99_us)
        return self._lateness[1]


def attach(
    values: Mapping[str, Callable[[], Any]], aspace: AddressSpace, slow: Mapping[str, ua.NodeId]
) -> None:
    """Let nodes answer with values that are worked out when they are read."""
    for name, value in values.items():
        callback = _callback(value)
        aspace.set_attribute_value_callback(slow[name], ua.AttributeIds.Value, callback)


def _callback(value: Callable[[], Any]) -> Callable[[ua.NodeId, ua.AttributeIds], ua.DataValue]:
    """What asyncua calls when a node is read; str, int and float are String, Int64 and Double."""

    def read(_: ua.NodeId, __: ua.AttributeIds) -> ua.DataValue:
        now = value()
        if isinstance(now, list):  # of texts, of which there may be none
            now = ua.Variant(now, ua.VariantType.String, is_array=True)
        variant = now if isinstance(now, ua.Variant) else ua.Variant(now)
        return ua.DataValue(variant, SourceTimestamp=datetime.now(UTC))

    return read
