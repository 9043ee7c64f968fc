"""What a cell file says about its controller: its cycle, and what happens when it is lost.

A cycle of a controller is a whole number of ticks of the cell.
"""

import math
from typing import Literal

from twincell.sim.spec.table import NotNegative, Positive, Table

USUAL_CYCLE_MS = 10.0  # chosen: what most PLCs do
MOST_CYCLE_TICKS = 10_000  # chosen: ten seconds of a cell


class Controller(Table):
    """Who commands the cell: a PLC, a robot controller, a test."""

    cycle_ms: Positive | None = None
    """Simulated time of its cycle in handshake; left out: 10, or the next whole tick."""
    silence_s: NotNegative = 0.0
    """It is lost when it has written nothing for so long, on the clock; 0: never."""
    when_lost: Literal["nothing", "stop", "pause"] = "nothing"
    """What happens then: nothing, every robot stops, or the cell pauses."""


def ticks_of_cycle(cycle_ms: float, step_s: float) -> int | None:
    """How many ticks a cycle has; None if that is no whole number from 1 to 10 000."""
    ticks = cycle_ms / (step_s * 1e3)
    if not math.isfinite(ticks) or not 0.5 < ticks < MOST_CYCLE_TICKS + 0.5:
        return None
    whole = round(ticks)
    # milliseconds and seconds have no exact binary form: this is their rounding, and no more
    return whole if math.isclose(ticks, whole, rel_tol=1e-9) else None


def usual_cycle_ticks(step_s: float) -> int:
    """How many ticks a cycle has when nobody has said it."""
    return max(1, math.ceil(USUAL_CYCLE_MS / (step_s * 1e3) - 1e-9))
