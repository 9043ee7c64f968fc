"""Load the kernels of a cell; the very first time they are compiled, which takes a while.

They are compiled in a process of its own, into the cache, and loaded from there: the compiler hears
no signal for many seconds, and who asks this process to end need not wait for it.
"""

from __future__ import annotations

import multiprocessing
import os
from typing import TYPE_CHECKING

from twincell.server.realtime.process import become_child

if TYPE_CHECKING:
    from twincell.sim.cell import Cell


def warm_up(cell: Cell) -> None:
    """Make a cell ready for its first tick, and say so if that takes long."""
    if not cell.kernels_are_cached():
        _compile_apart(cell)
    cell.warm_up()


def _compile_apart(cell: Cell) -> None:
    from twincell.server.cli import screen

    notes = screen.notes()
    message = "compiling the kernels, once, about two minutes ..."
    if not screen.somebody_watches():
        notes.print(message)
    forked = multiprocessing.get_context("fork")
    compiler = forked.Process(target=_compile, args=(cell, os.getpid()), daemon=True)
    compiler.start()  # before the message has a thread that lets it move
    try:
        if screen.somebody_watches():
            with notes.status(message):
                compiler.join()
        else:
            compiler.join()
    finally:
        compiler.kill()


def _compile(cell: Cell, parent_pid: int) -> None:
    become_child(parent_pid)
    cell.warm_up()
