"""Source timestamps: equally spaced, equal for all values of a tick, close to the wall clock.

    stamp of a tick = anchor + (tick - anchor's tick) · step / speed

in units of 100 ns since 1601, as OPC UA counts, rounded to whole microseconds: finer ones would be
lost wherever a moment is kept as Python does. The anchor is the wall clock, taken again whenever
the loop begins a new schedule. Stamps never go backwards, whatever the wall clock does: a new
anchor lies at least one period after the last stamp.
"""

import math
from collections.abc import Callable

UNIT_NS = 100
UNITS_PER_US = 10
UNITS_1601_TO_1970 = 11_644_473_600 * 10_000_000


class Stamps:
    """The source time of each row."""

    def __init__(self, step_s: float, wall: Callable[[], int], last: int = 0) -> None:
        self._step = step_s * 1e9 / UNIT_NS
        self._wall = wall
        self._last = last  # the newest stamp that was given
        self.anchor(0, 1.0)

    def anchor(self, tick: int, speed: float) -> None:
        """Give the wall clock's time to this tick, and go on from there."""
        now = self._wall() // 1000 * UNITS_PER_US + UNITS_1601_TO_1970
        self._begin(tick, self._step / speed, now)

    def follow(self, tick: int) -> None:
        """Let this tick follow the last one as in simulated time, however long ago that was."""
        self._begin(tick, self._step, 0)

    def _begin(self, tick: int, period: float, earliest: int) -> None:
        self._tick = tick
        self._period = period
        self._anchor = max(earliest, self._last + max(_whole(period), UNITS_PER_US))

    def of(self, tick: int) -> int:
        """The stamp of a tick."""
        self._last = self._anchor + _whole((tick - self._tick) * self._period)
        return self._last


def _whole(units: float) -> int:
    """The nearest whole microsecond; halves go up: the spacing stays as even as can be."""
    return math.floor(units / UNITS_PER_US + 0.5) * UNITS_PER_US
