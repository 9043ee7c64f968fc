"""What happened to the tool changers in a run: what they locked and let go, and their faults.

It is read off the rows while they pass, from `<changer>.State`, `ToolId` and `FaultText`: what the
changer's own controller saw, not what was true.
"""

import numpy as np

from twincell.server.offline import Rows, time_of
from twincell.server.report.summary_text import Hold, Told
from twincell.sim.signals import SignalTable

MOST_CHANGER_EVENTS = 200  # of one changer; chosen: more than a shift of tool changes in a demo


class ChangerWatch:
    """The states of one tool changer."""

    def __init__(self, name: str, signals: SignalTable, step_s: float) -> None:
        self.events: list[Told] = []
        self.events_left_out = 0
        self._name = name
        self._step_s = step_s
        self._state = signals[f"{name}.State"]
        self._id = signals[f"{name}.ToolId"]
        self._fault = signals[f"{name}.FaultText"]
        self._code = -1.0  # of the last row seen: none yet
        self._begun: list[tuple[float, str]] = []  # when it came into which state

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
        if len(self._begun) >= MOST_CHANGER_EVENTS:
            self.events_left_out += 1
            return
        state = str(self._state.value(row[self._state.column]))
        before = self._begun[-1][1] if self._begun else ""
        self._begun.append((at_s, state))
        text = {
            "LockedTool": f"locked tool {int(row[self._id.column])}",
            "LockedEmpty": "locked without a tool",
            "Fault": f"fault: {self._fault.value(row[self._fault.column])}",
        }.get(state, "unlocked" if before == "Unlocking" else "")
        if text:
            self.events.append(Told(self._name, at_s, text))
