"""Run a cell as fast as it goes, chunk by chunk.

A chunk is short enough to show progress and to answer Ctrl-C, and long enough that calling the
kernels costs nothing. Nobody has to hold the whole run in memory: whoever wants the rows takes
them chunk by chunk.
"""

import time
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from twincell.sim.cell import Cell

Rows: TypeAlias = NDArray[np.float64]  # (ticks, signals)

# chosen: at 8 µs a tick a chunk takes 8 ms; a cell with 30 000 signals still needs only 32 MB
LONGEST_CHUNK_TICKS = 1000
LARGEST_CHUNK_VALUES = 4_000_000


class OfflineRun:
    """A run of a cell for a number of ticks, or until a fault."""

    def __init__(self, cell: Cell, ticks: int) -> None:
        self.cell = cell
        self.ticks_wanted = ticks
        self.ticks = 0  # simulated so far
        self.wall_s = 0.0  # spent in the simulation, without what is done with the rows

    def chunks(self) -> Iterator[Rows]:
        """The rows from the first tick to the last, a chunk at a time."""
        longest = min(LONGEST_CHUNK_TICKS, LARGEST_CHUNK_VALUES // max(len(self.cell.signals), 1))
        while self.ticks < self.ticks_wanted and self.cell.fault is None:
            started = time.perf_counter()
            rows = self.cell.run(min(max(longest, 1), self.ticks_wanted - self.ticks))
            self.wall_s += time.perf_counter() - started
            if len(rows) == 0:
                break
            self.ticks += len(rows)
            yield rows

    @property
    def simulated_s(self) -> float:
        return time_of(self.ticks, self.cell.step_s)

    @property
    def real_time_factor(self) -> float:
        return self.simulated_s / self.wall_s if self.wall_s > 0 else 0.0


def time_of(tick: int, step_s: float) -> float:
    """Simulated time of a tick, without the last digit's noise: 0.009, not 0.009000000000000001."""
    return round(tick * step_s, 12)
