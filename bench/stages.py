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

from bench.held_objects import held_objects
from sim import integrate, sense
from sim.cell import Cell
from sim.jit import entry
from sim.mechanics.joint_effort import push_joints
from sim.mechanics.place import place_bodies, place_ports
from sim.motion.sample import sample
from sim.network.catch import catch_and_release
from sim.network.detect import detect
from sim.network.islands import arrange
from sim.network.pair_law import demand
from sim.network.softness import soften
from sim.network.solve import solve

COUNTS = (10, 100, 1000)
ROUNDS = 7
ROUND_CALLS = 20_000  # divided by the number of objects

# the lines of `step`, and how often each runs in an RK4 tick; tests/contract compares the order
LINES = (
    ("begin", 1),
    ("sample", 4),
    ("place_bodies", 4),
    ("place_ports", 1),
    ("detect", 1),
    ("catch_and_release", 1),
    ("arrange", 1),
    ("push_joints", 4),
    ("demand", 4),
    ("soften", 4),
    ("solve", 4),
    ("write", 1),
    ("advance_stage", 4),
)


@dataclass(frozen=True)
class StageTimes:
    """One row of the table: nanoseconds per object and tick, for each of COUNTS."""

    line: str
    calls: int  # in a tick; 0 for the sum of all lines and for the tick itself
    ns: tuple[float, ...]


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
            sample(model, scratch)
        elif line == 2:
            place_bodies(model, scratch)
        elif line == 3:
            place_ports(model, scratch)
        elif line == 4:
            detect(model, commands, state, scratch)
        elif line == 5:
            catch_and_release(model, state, scratch)
        elif line == 6:
            arrange(model, state, scratch)
        elif line == 7:
            push_joints(model, scratch)
        elif line == 8:
            demand(model, state, scratch)
        elif line == 9:
            soften(model, state, scratch)
        elif line == 10:
            solve(model, state, scratch, feedback)
        elif line == 11:
            sense.write(model, commands, state, scratch, row)
        elif line == 12:
            integrate.advance_stage(model, state, scratch, feedback, stage)


def stage_times() -> Iterator[StageTimes]:
    """Time every line, then their sum, then a whole tick."""
    cells = [Cell(held_objects(n)) for n in COUNTS]
    for cell in cells:
        cell.run(20)
    sums = np.zeros(len(COUNTS))
    for line, (name, calls) in enumerate(LINES):
        ns = [calls * _call_ns(cell, line, n) / n for cell, n in zip(cells, COUNTS, strict=True)]
        sums += ns
        yield StageTimes(name, calls, _rounded(ns))
    yield StageTimes("sum", 0, _rounded(sums.tolist()))
    ticks = [_tick_ns(cell, n) / n for cell, n in zip(cells, COUNTS, strict=True)]
    yield StageTimes("tick", 0, _rounded(ticks))


def stage_table(rows: Sequence[StageTimes]) -> Table:
    """The times for people."""
    table = Table(title="nanoseconds per held object and tick, RK4")
    for heading in ("line of step", "calls", *(f"{n} objects" for n in COUNTS)):
        table.add_column(heading, justify="left" if heading == "line of step" else "right")
    for row in rows:
        if row.line == "sum":
            table.add_section()
        table.add_row(row.line, str(row.calls or ""), *(f"{x:.0f}" for x in row.ns))
    return table


def _call_ns(cell: Cell, line: int, n: int) -> float:
    """Median time of one call of a line."""
    model, _, commands, state, scratch, feedback = cell._packs
    row = np.zeros(len(cell.signals))
    calls = max(1, ROUND_CALLS // n)
    times = []
    for _ in range(ROUNDS + 1):
        started = time.perf_counter_ns()
        _call(line, calls, model, commands, state, scratch, feedback, row)
        times.append((time.perf_counter_ns() - started) / calls)
    return median(times[1:])


def _tick_ns(cell: Cell, n: int) -> float:
    """Median time of one tick."""
    rows = np.zeros((max(10, ROUND_CALLS // 4 // n), len(cell.signals)))
    times = []
    for _ in range(ROUNDS + 1):
        started = time.perf_counter_ns()
        cell.run_into(rows)
        times.append((time.perf_counter_ns() - started) / len(rows))
    return median(times[1:])


def _rounded(ns: Sequence[float]) -> tuple[float, ...]:
    return tuple(round(x, 1) for x in ns)


def main() -> int:
    """Print nanoseconds per object and tick, line by line."""
    Console().print(stage_table(list(stage_times())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
