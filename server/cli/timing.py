"""How the time of a cell goes, as the options of `twincell run` and the cell file say."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from twincell.server.errors import Refusal

if TYPE_CHECKING:
    from twincell.server.realtime.time_mode import Timing
    from twincell.sim.spec import CellSpec


class TimeName(StrEnum):
    """Who moves simulated time."""

    FREE = "free"
    HANDSHAKE = "handshake"
    LOCKSTEP = "lockstep"


def timing_of(
    spec: CellSpec, time: TimeName, cycle_ms: float | None, speed: float, paused: bool
) -> Timing:
    """How time goes; a cycle that ends between two ticks is refused."""
    from twincell.server.realtime.time_mode import TimeMode, Timing
    from twincell.sim.spec.controller import MOST_CYCLE_TICKS, ticks_of_cycle, usual_cycle_ticks

    modes = {
        TimeName.FREE: TimeMode.FREE_RUN,
        TimeName.HANDSHAKE: TimeMode.HANDSHAKE,
        TimeName.LOCKSTEP: TimeMode.LOCK_STEP,
    }
    wanted_ms = spec.controller.cycle_ms if cycle_ms is None else cycle_ms
    if wanted_ms is None:
        return Timing(speed, paused, modes[time], usual_cycle_ticks(spec.step_s))
    ticks = ticks_of_cycle(wanted_ms, spec.step_s)
    if ticks is None:
        step = f"{spec.step_s * 1e3:g} ms"
        raise Refusal(
            f"--cycle-ms {wanted_ms:g}: must be a whole number of ticks of {step}",
            f"give a multiple of {step}, at most {MOST_CYCLE_TICKS} ticks",
        )
    return Timing(speed, paused, modes[time], ticks)


def told(timing: Timing, step_s: float) -> str:
    """What a person has to know about it, in one line."""
    from twincell.server.realtime.time_mode import TimeMode

    if timing.mode is TimeMode.HANDSHAKE:
        cycle = f"{timing.cycle_ticks * step_s * 1e3:g} ms"
        return f"handshake: each new value of Simulation.CycleCounter is {cycle}"
    if timing.mode is TimeMode.LOCK_STEP:
        return "lock step: it stands still until Simulation.Step is called"
    return "free run: on the clock" + (f", {timing.speed:g} times" * (timing.speed != 1.0))
