"""Counts what rows tell: how late ticks began, who was attached and released, how fast it goes.

Nothing of it is counted by the loop. The rows of the last seconds are in the ring anyway, and so is
how late each tick began; looked at a few times a second, none is missed. Where this process was
held up for longer than the ring is long, it says how many ticks it has not seen.
"""

from collections import Counter

import numpy as np

from twincell.server.realtime.rates import Rates
from twincell.server.realtime.shared.link import Link
from twincell.server.report.row_changes import RowChanges
from twincell.sim.signals import SignalTable

LOOK_S = 0.1  # between two looks; chosen: a cell that is stepped fills the ring in 0.3 s
RATE_OVER_S = 1.0  # how far back the tick rate looks

# upper ends [s]; chosen: three a decade, from what a good machine does to what a stall takes
LATENESS_S = (1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 1e-1)


class RowWatch:
    """What happened in the rows so far."""

    def __init__(self, link: Link, signals: SignalTable) -> None:
        self._link = link
        self._changes = RowChanges(signals)
        self._columns = np.append(self._changes.columns, link.ring.tick_column)
        self._next = link.ring.oldest
        self._rows = Rates(RATE_OVER_S)
        self.late = np.zeros(len(LATENESS_S) + 1, dtype=np.int64)  # ticks in each bucket
        self.late_sum_s = 0.0
        self.events: Counter[str] = Counter()  # by type, as OPC UA clients know them
        self.missed = 0  # ticks that were not seen

    def look(self) -> None:
        """Look at the rows that are new."""
        first, ring = self._next, self._link.ring
        end, late_ns = ring.lateness_since(first)
        rows = ring.read(first, end, self._columns)
        self._next = end
        self.missed += rows.first - first
        self._count_late(late_ns)
        found = self._changes.find(rows.first, rows.values[:, :-1], rows.values[:, -1])
        self.events.update(change.type_name for change in found)
        self._rows.look(end)

    @property
    def tick_rate_hz(self) -> float:
        """Ticks a second, lately."""
        return self._rows.a_second()[0]

    def _count_late(self, late_ns: np.typing.NDArray[np.int64]) -> None:
        """A tick that had no deadline, such as a step that was asked for, has lateness 0."""
        late_s = late_ns[late_ns > 0] * 1e-9
        place = np.searchsorted(LATENESS_S, late_s)  # a bucket has its upper end
        self.late += np.bincount(place, minlength=len(self.late))
        self.late_sum_s += float(late_s.sum())
