"""A small cell in its loop, on the clock or in handshake."""

from pathlib import Path

import pytest

from tests.server.realtime.looped_cell import CYCLE_TICKS, LoopedCell
from twincell.server.realtime.time_mode import TimeMode
from twincell.sim.cell import Cell


@pytest.fixture
def looped(small_cell: Path) -> LoopedCell:
    return LoopedCell(Cell.load(small_cell))


@pytest.fixture
def cell(looped: LoopedCell) -> LoopedCell:
    """In handshake, after tick 0."""
    return looped.begin(timeline=False, mode=TimeMode.HANDSHAKE, cycle_ticks=CYCLE_TICKS)
