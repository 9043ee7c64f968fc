"""Where text goes: results to standard output, everything else to standard error.

On a terminal a table fits the window. In a pipe or file every row stays one line, however long.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from twincell.server.logging.log_line import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WIDE_ENOUGH = 10_000  # characters: wider than any row


def results() -> Console:
    """Standard output."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else WIDE_ENOUGH
    return Console(file=sys.stdout, width=width, highlight=False, markup=False, emoji=False)


def notes() -> Console:
    """Standard error: progress and remarks."""
    from rich.console import Console

    width = None if sys.stderr.isatty() else WIDE_ENOUGH
    return Console(file=sys.stderr, width=width, highlight=False, markup=False, emoji=False)


def somebody_watches() -> bool:
    """Whether notes go to a terminal, where things may move."""
    return sys.stderr.isatty()


def print_table(made: Table) -> None:
    """Print a table to standard output."""
    console = results()
    if sys.stdout.isatty():
        console.print(made)
        return
    with console.capture() as captured:
        console.print(made)
    for line in captured.get().splitlines():
        print(line.rstrip())


def print_section(made: Table, left_out: int = 0) -> None:
    """Print a table of a report, how many lines it leaves out, and an empty line."""
    print_table(made)
    if left_out:
        print(f"... and {left_out} more")
    print()


def load(value: float) -> str:
    """A force or torque to be read at a glance; one that makes no sense is short at least."""
    return f"{value:.2f}" if value < 1e6 else f"{value:.2e}"


def table(*columns: str, numbers: tuple[str, ...] = ()) -> Table:
    """A table without lines; columns named in `numbers` are aligned to the right."""
    from rich.table import Table

    class ShownTable(Table):
        """Its texts are those of files and servers: they do not move the cursor."""

        def add_row(self, *cells: Any, **style: Any) -> None:
            shown = (printable(cell) if isinstance(cell, str) else cell for cell in cells)
            super().add_row(*shown, **style)

    made = ShownTable(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        made.add_column(column, justify="right" if column in numbers else "left")
    return made
