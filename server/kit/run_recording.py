"""The recording of one test: every tick from its start on, kept when the test fails.

A cell of our own records into a folder of its own, which is gone with it. A cell that is lost, or
that cannot record, takes no test with it: there is no recording then, or one up to its end.
"""

import shutil
from contextlib import suppress
from pathlib import Path

from twincell.server.client.mistake import Mistake
from twincell.server.kit.cell_under_test import LOST, CellUnderTest

NAME = "run.mcap"


class RunRecording:
    """A recording that goes on until it is kept or dropped."""

    def __init__(self, cell: CellUnderTest) -> None:
        assert cell.recordings is not None  # it is a cell of our own
        self._cell = cell
        self._file = cell.recordings / NAME
        self._goes_on = False
        with suppress(*LOST, Mistake):  # then there is none
            cell.connection.call("Simulation.StartRecording", NAME, 1, [])
            self._goes_on = True

    def keep(self, path: Path) -> Path | None:
        """End it, and put the file, if there is one, where somebody finds it."""
        self._stop()
        if not self._file.exists():
            return None
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(self._file, path)  # instead of one that is there
        return path

    def drop(self) -> None:
        """End it, if that was not done; nobody needs it."""
        self._stop()
        self._file.unlink(missing_ok=True)

    def _stop(self) -> None:
        if not self._goes_on:
            return
        self._goes_on = False
        # the file of a cell that is lost is whole all the same; the test may have ended it itself
        with suppress(*LOST, Mistake):
            self._cell.connection.call("Simulation.StopRecording")
