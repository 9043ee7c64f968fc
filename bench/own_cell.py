"""A cell of ours as a contestant: from its start for some ticks, again and again."""

from collections.abc import Callable

import numpy as np

from bench.rounds import Contestant
from twincell.sim.cell import Cell

RING_VALUES = 500_000  # chosen: 4 MB; 7 rows of 1000 objects, so that calls cost nothing


def contestant(cell: Cell, ticks: int) -> Contestant:
    """A round from where the cell is now.

    The rows go into the same memory again and again, as into a server's ring.
    """
    room = max(1, RING_VALUES // len(cell.signals))
    rows = np.zeros((min(room, ticks), len(cell.signals)))

    def work() -> None:
        for done in range(0, ticks, len(rows)):
            cell.run_into(rows[: ticks - done])

    return Contestant(rewind(cell), work)


def rewind(cell: Cell) -> Callable[[], None]:
    """What puts a cell back to where it is now."""
    start = cell.snapshot()
    return lambda: cell.restore(start)
