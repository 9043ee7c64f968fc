"""Load the kernels of a cell; the very first time they are compiled, which takes a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.cell import Cell


def warm_up(cell: Cell) -> None:
    """Make a cell ready for its first tick, and say so if that takes long."""
    if cell.kernels_are_cached():
        cell.warm_up()
        return

    from server.cli import screen

    notes = screen.notes()
    message = "compiling the kernels, once, about a minute ..."
    if screen.somebody_watches():
        with notes.status(message):
            cell.warm_up()
    else:
        notes.print(message)
        cell.warm_up()
