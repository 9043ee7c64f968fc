"""What happened to the devices of a run: through which states they went, and what that means.

It is read off the rows while they pass, from `<device>.State`; what a change means says the
device's own `report.py`.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from twincell.server.offline import Rows, time_of
from twincell.server.report.summary_text import Hold, Told
from twincell.sim.devices import modules
from twincell.sim.signals import SignalTable
from twincell.sim.spec.cell import CellSpec

MOST_EVENTS = 200  # of one device; chosen: more than a shift of tool changes in a demo

Event = Callable[[str, Callable[[str], Any]], str]  # as in the `report.py` of a device


class DeviceWatch:
    """The states of one device."""

    def __init__(self, name: str, event: Event, signals: SignalTable, step_s: float) -> None:
        self.events: list[Told] = []
        self.events_left_out = 0
        self._name = name
        self._event = event
        self._signals = signals
        self._step_s = step_s
        self._state = signals[f"{name}.State"]
        self._code = -1.0  # of the last row seen: none yet
        self._begun: list[tuple[float, str]] = []  # when it came into which state

    @property
    def states(self) -> tuple[str, ...]:
        """All that it can be in."""
        return self._state.texts

    def append(self, first_tick: int, rows: Rows) -> None:
        codes = np.concatenate([[self._code], rows[:, self._state.column]])
        for row in np.flatnonzero(np.diff(codes)).tolist():
            self._note(time_of(first_tick + row, self._step_s), rows[row])
        self._code = float(codes[-1])

    def holds(self, end_s: float) -> list[Hold]:
        """Its states, one after the other, up to the end of the run or of what is known."""
        ends = [*(later for (later, _) in self._begun[1:]), end_s]
        return [
            Hold(text, at_s, to_s) for (at_s, text), to_s in zip(self._begun, ends, strict=True)
        ]

    def _note(self, at_s: float, row: Rows) -> None:
        if len(self._begun) >= MOST_EVENTS:
            self.events_left_out += 1
            return

        def value(quantity: str) -> Any:
            signal = self._signals[f"{self._name}.{quantity}"]
            return signal.value(row[signal.column])

        before = self._begun[-1][1] if self._begun else ""
        self._begun.append((at_s, value("State")))
        if text := self._event(before, value):
            self.events.append(Told(self._name, at_s, text))


def watch_devices(
    spec: CellSpec, signals: SignalTable, step_s: float
) -> dict[str, dict[str, DeviceWatch]]:
    """A watch for each device about which something is told, kind by kind."""
    names: Mapping[str, list[str]] = {kind: list(getattr(spec, kind)) for kind in modules("report")}
    return {
        kind: {name: DeviceWatch(name, module.event, signals, step_s) for name in names[kind]}
        for kind, module in modules("report").items()
        if names[kind]
    }
