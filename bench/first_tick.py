"""A fresh process up to its first tick: `python -m bench.first_tick CELL` prints when it was.

It goes the way of the command line: what is missing is compiled in processes beside it.
"""

import sys
import time

from twincell.server.cli.cell_file import compile_cell
from twincell.server.cli.warm_up import warm_up


def main() -> None:
    """Load a shipped cell, simulate one tick, print the system's monotonic time."""
    _, cell = compile_cell(sys.argv[1])
    warm_up(cell)
    cell.run(1)
    sys.stdout.write(f"{time.monotonic_ns()}\n")


if __name__ == "__main__":
    main()
