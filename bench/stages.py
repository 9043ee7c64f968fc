"""Where the time of a tick goes: `python -m bench.stages` times each line of `step` alone.

Each line is called many times in a row on the same state, so its data is nearer than in a real tick
and the sum is a little less than a tick. Compiles for about a minute the first time.
"""
# mypy: disallow-untyped-calls=False

import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

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
Stage = Callable[..., None]

# an entry of its own for each line: numba wants to see the call, so it is written out


@entry
def _begin(model: Any, commands: Any, state: Any, scratch: Any, feedback: Any, n: Any) -> None:
    for _ in range(n):
        integrate.begin(model, state, scratch)


@entry
def _sample(model: Any, commands: Any, state: Any, scratch: Any, feedback: Any, n: Any) -> None:
    for _ in range(n):
        sample(model, scratch)


@entry
def _bodies(model: Any, commands: Any, state: Any, scratch: Any, feedback: Any, n: Any) -> None:
    for _ in range(n):
        place_bodies(model, scratch)


@entry
def _ports(model: Any, commands: Any, state: Any, scratch: Any, feedback: Any, n: Any) -> None:
    for _ in range(n):
        place_ports(model, scratch)


@entry
def _detect(model: Any, commands: Any, state: Any, scratch: Any, feedback: Any, n: Any) -> None:
    for _ in range(n):
        detect(model, commands, state, scratch)


@entry
def _catch(model: Any, commands: Any, state: Any, scratch: Any, feedback: Any, n: Any) -> None:
    for _ in range(n):
        catch_and_release(model, state, scratch)


@entry
def _arrange(model: Any, commands: Any, state: Any, scratch: Any, feedback: Any, n: Any) -> None:
    for _ in range(n):
        arrange(model, state, scratch)


@entry
def _joints(model: Any, commands: Any, state: Any, scratch: Any, feedback: Any, n: Any) -> None:
    for _ in range(n):
        push_joints(model, scratch)


@entry
def _demand(model: Any, commands: Any, state: Any, scratch: Any, feedback: Any, n: Any) -> None:
    for _ in range(n):
        demand(model, state, scratch)


@entry
def _soften(model: Any, commands: Any, state: Any, scratch: Any, feedback: Any, n: Any) -> None:
    for _ in range(n):
        soften(model, state, scratch)


@entry
def _solve(model: Any, commands: Any, state: Any, scratch: Any, feedback: Any, n: Any) -> None:
    for _ in range(n):
        solve(model, state, scratch, feedback)


@entry
def _sense(model: Any, commands: Any, state: Any, scratch: Any, feedback: Any, n: Any) -> None:
    for _ in range(n):
        sense.write(model, commands, state, scratch, feedback)


@entry
def _advance(model: Any, commands: Any, state: Any, scratch: Any, feedback: Any, n: Any) -> None:
    for _ in range(n):
        integrate.advance_stage(model, state, scratch, feedback, 0)


# name, how often in an RK4 tick, kernel
STAGES: tuple[tuple[str, int, Stage], ...] = (
    ("begin", 1, _begin),
    ("sample", 4, _sample),
    ("place_bodies", 4, _bodies),
    ("place_ports", 1, _ports),
    ("detect", 1, _detect),
    ("catch_and_release", 1, _catch),
    ("arrange", 1, _arrange),
    ("push_joints", 4, _joints),
    ("demand", 4, _demand),
    ("soften", 4, _soften),
    ("solve", 4, _solve),
    ("sense", 1, _sense),
    ("advance_stage", 4, _advance),
)


def main() -> int:
    """Print nanoseconds per object and tick, line by line."""
    notes = Console(stderr=True)
    cells = [Cell(held_objects(n)) for n in COUNTS]
    table = Table(title="nanoseconds per held object and tick, RK4")
    for heading in ("line of step", "calls", *(f"{n} objects" for n in COUNTS)):
        table.add_column(heading, justify="left" if heading == "line of step" else "right")
    sums = [0.0] * len(COUNTS)
    for cell in cells:
        cell.run(20)
    for name, times, stage in STAGES:
        notes.print(f"{name} ...", highlight=False)
        found = [
            times * _call_ns(cell, stage, n) / n for cell, n in zip(cells, COUNTS, strict=True)
        ]
        sums = [a + b for a, b in zip(sums, found, strict=True)]
        table.add_row(name, str(times), *(f"{x:.0f}" for x in found))
    table.add_section()
    table.add_row("sum", "", *(f"{x:.0f}" for x in sums))
    table.add_row(
        "tick", "", *(f"{_tick_ns(c, n) / n:.0f}" for c, n in zip(cells, COUNTS, strict=True))
    )
    Console().print(table)
    return 0


def _call_ns(cell: Cell, stage: Stage, n: int) -> float:
    """Median time of one call of a stage."""
    model, _, commands, state, scratch, feedback = cell._packs
    calls = max(1, ROUND_CALLS // n)
    times = []
    for _ in range(ROUNDS + 1):
        started = time.perf_counter_ns()
        stage(model, commands, state, scratch, feedback, calls)
        times.append((time.perf_counter_ns() - started) / calls)
    return median(times[1:])


def _tick_ns(cell: Cell, n: int) -> float:
    ticks = max(10, ROUND_CALLS // 4 // n)
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter_ns()
        cell.run(ticks)
        times.append((time.perf_counter_ns() - started) / ticks)
    return median(times)


if __name__ == "__main__":
    sys.exit(main())
