"""A shipped cell, run from its file, as a trace of named signals."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from twincell.sim.cell import Cell

CELLS = Path(__file__).parents[2] / "config" / "cells"


class Trace:
    """The rows of a run, by signal name and time."""

    def __init__(self, name: str, seconds: float) -> None:
        self.cell = Cell.load(CELLS / f"{name}.toml")
        self.rows = self.cell.run(round(seconds / self.cell.step_s))
        self.time = np.arange(len(self.rows)) * self.cell.step_s
        assert self.cell.fault is None

    def __getitem__(self, signal: str) -> np.ndarray:
        return self.rows[:, self.cell.signals[signal].column]

    def at(self, signal: str, seconds: float) -> float:
        """Value of a signal in the row of a time."""
        return float(self[signal][round(seconds / self.cell.step_s)])

    def partners(self, name: str) -> list[tuple[float, str]]:
        """When a constrained object changed its partner, and to whom; the first is the start."""
        code = self[f"{name}.Partner"]
        ticks = [0, *(np.flatnonzero(np.diff(code)) + 1)]
        texts = self.cell.signals[f"{name}.Partner"].texts
        return [(round(k * self.cell.step_s, 6), texts[int(code[k])]) for k in ticks]


@pytest.fixture(scope="session")
def run_cell() -> Callable[[str, float], Trace]:
    """Run a shipped cell for some seconds of simulated time."""
    return Trace
