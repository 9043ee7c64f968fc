"""Every shipped cell: how long its ticks take, one by one, and how long until it is compiled.

One tick per call of the kernel; between two of them a call of no ticks shows what the call itself
costs, and the median of these is subtracted. p99 and worst matter: a tick that is late is late.
On a machine that is not alone, the worst tick is mostly the machine's.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.shipped_cells import cell_files
from twincell.sim.cell import Cell
from twincell.sim.spec import load_cell

TICKS = 5_000


@dataclass(frozen=True)
class CellTimes:
    """One row of the table."""

    cell: str
    p50_us: float
    p99_us: float
    worst_us: float
    missed_deadlines: int
    ticks: int
    compile_ms: float  # file to model; the kernels are the same for all cells


def cell_times() -> Iterator[CellTimes]:
    """Time every shipped cell."""
    for file in cell_files():
        yield _times_of(file)


def _times_of(file: Path) -> CellTimes:
    started = time.perf_counter()
    spec = load_cell(file)
    cell = Cell(spec)
    compile_s = time.perf_counter() - started

    rows = np.zeros((TICKS, len(cell.signals)))
    cell.warm_up()
    calls_ns, ticks_ns = _nanoseconds(cell, rows)
    tick_us = (ticks_ns - np.median(calls_ns)) * 1e-3
    return CellTimes(
        file.stem,
        p50_us=_percentile(tick_us, 50),
        p99_us=_percentile(tick_us, 99),
        worst_us=_percentile(tick_us, 100),
        missed_deadlines=int((tick_us > spec.step_s * 1e6).sum()),
        ticks=TICKS,
        compile_ms=round(compile_s * 1e3, 1),
    )


def _nanoseconds(
    cell: Cell, rows: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Wall time of calls of no ticks, and of calls of one tick, in turns."""
    stamps = np.empty((len(rows), 3), dtype=np.int64)
    nothing = rows[:0]
    slices = [rows[k : k + 1] for k in range(len(rows))]
    now = time.perf_counter_ns
    for k, row in enumerate(slices):
        before = now()
        cell.run_into(nothing)
        between = now()
        cell.run_into(row)
        stamps[k] = before, between, now()
    return stamps[:, 1] - stamps[:, 0], stamps[:, 2] - stamps[:, 1]


def _percentile(values: NDArray[np.float64], percent: int) -> float:
    return round(float(np.percentile(values, percent)), 2)
