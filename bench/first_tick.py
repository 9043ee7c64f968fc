"""A fresh process up to its first tick: `python -m bench.first_tick CELL` prints when it was."""

import sys
import time

from bench.shipped_cells import cell_file
from twincell.sim.cell import Cell


def main() -> None:
    """Load a shipped cell, simulate one tick, print the system's monotonic time."""
    Cell.load(cell_file(sys.argv[1])).run(1)
    sys.stdout.write(f"{time.monotonic_ns()}\n")


if __name__ == "__main__":
    main()
