"""How simulated time goes on: by the clock, by the controller's cycles, or by order.

    FREE_RUN    on the clock, at a speed
    HANDSHAKE   one cycle for each new value of the controller's cycle counter
    LOCK_STEP   as many ticks as are ordered

A cell that is paused, in handshake or in lock step is *stepped*: the clock does not move it.
"""

from enum import IntEnum
from typing import NamedTuple


class TimeMode(IntEnum):
    """Who moves simulated time."""

    FREE_RUN = 0
    HANDSHAKE = 1
    LOCK_STEP = 2

    @property
    def text(self) -> str:
        """Its name as clients see it: FreeRun, Handshake, LockStep."""
        return self.name.title().replace("_", "")


class Timing(NamedTuple):
    """How the time of a cell goes."""

    speed: float = 1.0  # simulated over real time, in free run
    paused: bool = False
    mode: TimeMode = TimeMode.FREE_RUN
    cycle_ticks: int = 10  # of the controller, in handshake

    @property
    def is_stepped(self) -> bool:
        """Whether the cell stands still unless somebody moves it."""
        return self.paused or self.mode is not TimeMode.FREE_RUN


ON_THE_CLOCK = Timing()
