"""Where the time of a tick goes: `python -m bench.stages` times each line of `step` alone.

Each line is called many times in a row on the same state, so its data is nearer than in a real tick
and the sum is a little less than a tick. Compiles for about a minute the first time.
"""
# mypy: disallow-untyped-calls=False

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.arm_cells import working_arms
from bench.held_objects import held_objects
from bench.own_cell import rewind
from twincell.sim import integrate, sense
from twincell.sim.cell import Cell
from twincell.sim.contact.detect.find_contacts import find_contacts
from twincell.sim.contact.solve.contact_step import push_contacts
from twincell.sim.contact.solve.tick_way import shift_bodies
from twincell.sim.devices.advance import advance_devices
from twincell.sim.devices.holds import measure_loads
from twincell.sim.drives.feed_forward import feed_forward
from twincell.sim.drives.ideal import find_efforts
from twincell.sim.drives.servo import drive
from twincell.sim.jit import entry
from twincell.sim.mechanics.joint_effort import push_joints
from twincell.sim.mechanics.place import place_bodies, place_ports
from twincell.sim.motion.movers import sample
from twincell.sim.motion.robot_orders import take_orders
from twincell.sim.motion.targets import aim
from twincell.sim.network.catch import catch_and_release
from twincell.sim.network.detect import detect
from twincell.sim.network.islands import arrange
from twincell.sim.network.pair_law import demand
from twincell.sim.network.softness import soften
from twincell.sim.network.solve import solve
from twincell.sim.spin import spin_bodies

COUNTS = (10, 100, 1000)
ROUNDS = 7
ROUND_CALLS = 20_000  # divided by the size of the cell
ARMS_SIZE = 20  # of the cell with two arms, in held objects: about as long a tick

# the lines of `step`, and how often each runs in an RK4 tick; tests/contract compares the order
LINES = (
    ("begin", 1),
    ("take_orders", 1),
    ("sample", 4),
    ("aim", 4),
    ("place_bodies", 4),
    ("place_ports", 1),
    ("advance_devices", 1),
    ("detect", 1),
    ("catch_and_release", 1),
    ("arrange", 1),
    ("find_contacts", 1),
    ("feed_forward", 1),
    ("push_joints", 4),
    ("drive", 4),
    ("demand", 4),
    ("soften", 4),
    ("solve", 4),
    ("push_contacts", 1),
    ("solve", 1),
    ("find_efforts", 1),
    ("measure_loads", 1),
    ("write", 1),
    ("advance_stage", 4),
    ("shift_bodies", 1),
    ("spin_bodies", 1),
    ("commit", 1),
)


@dataclass(frozen=True)
class StageTimes:
    """One row of the table, all times per tick."""

    line: str
    calls: int  # in a tick; 0 for the sum of all lines and for the tick itself
    ns_per_object: tuple[float, ...]  # nanoseconds per held object, for each of COUNTS
    two_arms_us: float  # microseconds: two arms on the move, with their tools


@entry
def _call(
    line: Any,
    times: Any,
    model: Any,
    commands: Any,
    state: Any,
    scratch: Any,
    feedback: Any,
    row: Any,
) -> None:
    """Call one line of `step` again and again.

    One function for all lines: kernels handed over as values would be compiled anew in every
    process. The way through the ifs costs less than a nanosecond.
    """
    stage = 0
    for _ in range(times):
        if line == 0:
            integrate.begin(model, state, scratch)
        elif line == 1:
            take_orders(model, commands, state, scratch)
        elif line == 2:
            sample(model, scratch)
        elif line == 3:
            aim(model, state, scratch, stage)
        elif line == 4:
            place_bodies(model, scratch)
        elif line == 5:
            place_ports(model, scratch)
        elif line == 6:
            advance_devices(model, commands, state, scratch)
        elif line == 7:
            detect(model, commands, state, scratch)
        elif line == 8:
            catch_and_release(model, state, scratch)
        elif line == 9:
            arrange(model, state, scratch)
        elif line == 10:
            find_contacts(model, state, scratch)
        elif line == 11:
            feed_forward(model, scratch)
        elif line == 12:
            push_joints(model, scratch)
        elif line == 13:
            drive(model, state, scratch, stage)
        elif line == 14:
            demand(model, state, scratch)
        elif line == 15:
            soften(model, state, scratch)
        elif line == 16:
            solve(model, state, scratch, feedback)
        elif line == 17:
            push_contacts(model, state, scratch, feedback)
        elif line == 18:
            solve(model, state, scratch, feedback)
        elif line == 19:
            find_efforts(model, state, scratch)
        elif line == 20:
            measure_loads(model, state, scratch)
        elif line == 21:
            sense.write(model, commands, state, scratch, row)
        elif line == 22:
            integrate.advance_stage(model, state, scratch, stage)
        elif line == 23:
            shift_bodies(model, scratch)
        elif line == 24:
            spin_bodies(model, state, scratch)
        elif line == 25:
            integrate.commit(model, state, scratch, feedback)


def stage_times() -> Iterator[StageTimes]:
    """Time every line, then their sum, then a whole tick."""
    cells = [Cell(held_objects(n)) for n in COUNTS]
    arms = Cell(working_arms(2))
    for cell in (*cells, arms):
        cell.run(20)
    sums, arms_sum = np.zeros(len(COUNTS)), 0.0
    for line, (name, calls) in enumerate(LINES):
        ns = [calls * _call_ns(cell, line, n) / n for cell, n in zip(cells, COUNTS, strict=True)]
        arms_ns = calls * _call_ns(arms, line, ARMS_SIZE)
        sums += ns
        arms_sum += arms_ns
        yield StageTimes(name, calls, _rounded(ns), _us(arms_ns))
    yield StageTimes("sum", 0, _rounded(sums.tolist()), _us(arms_sum))
    ticks = [_tick_ns(cell, n) / n for cell, n in zip(cells, COUNTS, strict=True)]
    yield StageTimes("tick", 0, _rounded(ticks), _us(_tick_ns(arms, ARMS_SIZE)))


def stage_table(rows: Sequence[StageTimes]) -> Table:
    """The times for people."""
    table = Table(title="nanoseconds per held object and tick, RK4; microseconds per tick of arms")
    objects = [f"{n} objects" for n in COUNTS]
    for heading in ("line of step", "calls", *objects, "two arms [µs]"):
        table.add_column(heading, justify="left" if heading == "line of step" else "right")
    for row in rows:
        if row.line == "sum":
            table.add_section()
        per_object = (f"{x:.0f}" for x in row.ns_per_object)
        table.add_row(row.line, str(row.calls or ""), *per_object, f"{row.two_arms_us:.2f}")
    return table


def _call_ns(cell: Cell, line: int, size: int) -> float:
    """Median time of one call of a line."""
    model, _, commands, state, scratch, feedback = cell._packs.values()
    row = np.zeros(len(cell.signals))
    calls = max(1, ROUND_CALLS // size)
    times = []
    for _ in range(ROUNDS + 1):
        started = time.perf_counter_ns()
        _call(line, calls, model, commands, state, scratch, feedback, row)
        times.append((time.perf_counter_ns() - started) / calls)
    return median(times[1:])


def _tick_ns(cell: Cell, size: int) -> float:
    """Median time of one tick, in rounds from the same start."""
    rows = np.zeros((max(10, ROUND_CALLS // 4 // size), len(cell.signals)))
    back = rewind(cell)
    times = []
    for _ in range(ROUNDS + 1):
        back()
        started = time.perf_counter_ns()
        cell.run_into(rows)
        times.append((time.perf_counter_ns() - started) / len(rows))
    return median(times[1:])


def _us(ns: float) -> float:
    return round(ns * 1e-3, 3)


def _rounded(ns: Sequence[float]) -> tuple[float, ...]:
    return tuple(round(x, 1) for x in ns)


def main() -> int:
    """Print the times, line by line."""
    Console().print(stage_table(list(stage_times())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
