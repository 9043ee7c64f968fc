"""A fresh process up to its first tick: `python -m bench.first_tick` prints when it was done."""

import sys
import time

from bench.shipped_cells import cell_file
from sim.cell import Cell


def main() -> None:
    """Load the tool change cell, simulate one tick, print the system's monotonic time."""
    Cell.load(cell_file("tool_change_multi")).run(1)
    sys.stdout.write(f"{time.monotonic_ns()}\n")


if __name__ == "__main__":
    main()
