"""The recording of one test: every tick from its start on, kept when the test fails.

A cell of our own records into a folder of its own, which is gone with it.
"""

import shutil
from contextlib import suppress
from pathlib import Path

from server.kit.cell_under_test import LOST, CellUnderTest

NAME = "run.mcap"


class RunRecording:
    """A recording that goes on until it is kept or dropped."""

    def __init__(self, cell: CellUnderTest) -> None:
        assert cell.recordings is not None  # it is a cell of our own
        self._cell = cell
        self._file = cell.recordings / NAME
        self._goes_on = True
        cell.connection.call("Simulation.StartRecording", NAME, 1, [])

    def keep(self, path: Path) -> Path:
        """End it, and put the file where somebody finds it, instead of one that is there."""
        self._stop()
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(self._file, path)
        return path

    def drop(self) -> None:
        """End it, if that was not done; nobody needs it."""
        self._stop()
        self._file.unlink(missing_ok=True)

    def _stop(self) -> None:
        if not self._goes_on:
            return
        self._goes_on = False
        with suppress(*LOST):  # the file of a cell that is lost is whole all the same
            self._cell.connection.call("Simulation.StopRecording")
