"""The cells of a test run: started once, and put back to their start for every test.

Starting a cell takes seconds, a reset milliseconds. After a reset a cell is bit by bit what a new
one is, so tests share it.
"""

from collections.abc import Iterable
from pathlib import Path

from server.cli.cell_file import find_cell
from server.kit.cell_under_test import LOST, CellUnderTest
from server.kit.running import RunningCell, Time

Wanted = tuple[str, Time]  # the file of a cell, and how its time goes on


class CellPool:
    """Cells that run, by their file and the way their time goes on."""

    def __init__(self) -> None:
        self._running: dict[Wanted, RunningCell] = {}
        self._cells: dict[Wanted, CellUnderTest] = {}

    def start(self, wanted: Iterable[Wanted]) -> None:
        """Let some cells start side by side; `cell` waits for each of them."""
        for one in wanted:
            if one not in self._running:
                self._running[one] = RunningCell(*one)

    def cell(self, wanted: Wanted) -> CellUnderTest:
        """A cell at its start; one that was lost is started again."""
        if wanted in self._cells:
            try:
                self._cells[wanted].reset()
                return self._cells[wanted]
            except LOST:
                self.drop(wanted)
        self.start([wanted])
        try:
            self._running[wanted].wait_until_ready()
            self._cells[wanted] = CellUnderTest(self._running[wanted].url, wanted[1])
            self._cells[wanted].said = self._running[wanted].said
            self._cells[wanted].recordings = self._running[wanted].recordings
            self._cells[wanted].reset()
        except BaseException:
            self.drop(wanted)
            raise
        return self._cells[wanted]

    def drop(self, wanted: Wanted) -> None:
        """End a cell; who wants it again gets a new one."""
        if wanted in self._cells:
            self._cells.pop(wanted).close()
        if wanted in self._running:
            self._running.pop(wanted).end()

    def end(self) -> None:
        """End all cells."""
        for wanted in list(self._running):
            self.drop(wanted)


def cell_path(wanted: str, folder: Path) -> str:
    """A cell by its shipped name, or its file as seen from a folder."""
    if wanted.endswith(".toml"):
        wanted = str(folder / wanted)
    return str(find_cell(wanted).resolve())
