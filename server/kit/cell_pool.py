"""The cells of a test run: started once, and put back to their start for every test.

Starting a cell takes seconds, a reset milliseconds. A reset leaves alone how time goes on and what
is recorded, so both are put back as well. Then a cell is bit by bit what a new one is, and tests
share it. Only the snapshots of a test stay, and count among those that a cell can keep.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from twincell.server.client.mistake import Mistake
from twincell.server.files.cells import find_cell
from twincell.server.kit.cell_under_test import LOST, CellUnderTest
from twincell.server.kit.running import RunningCell, Time

STATE = "Simulation.State"
PACE = ("Simulation.TimeMode", "Simulation.CycleTime", "Simulation.Speed")

Wanted = tuple[str, Time]  # the file of a cell, and how its time goes on


class CellPool:
    """Cells that run, by their file and the way their time goes on."""

    def __init__(self) -> None:
        self._running: dict[Wanted, RunningCell] = {}
        self._cells: dict[Wanted, CellUnderTest] = {}
        self._fingerprints: dict[Wanted, str] = {}  # of their files when they were started
        self._pace: dict[Wanted, list[Any]] = {}  # how their time went on at first

    def start(self, wanted: Iterable[Wanted]) -> None:
        """Let some cells start side by side; `cell` waits for each of them."""
        for one in wanted:
            if one not in self._running:
                self._fingerprints[one] = hashlib.sha256(Path(one[0]).read_bytes()).hexdigest()
                self._running[one] = RunningCell(*one)

    def cell(self, wanted: Wanted) -> CellUnderTest:
        """A cell at its start; one that was lost is started again."""
        if wanted in self._cells:
            try:
                self._put_back(wanted)
                return self._cells[wanted]
            except (*LOST, Mistake):  # a Mistake: the values of a cell that is down are bad
                self.drop(wanted)
        self.start([wanted])
        try:
            self._running[wanted].wait_until_ready()
            self._cells[wanted] = CellUnderTest(self._running[wanted].url, wanted[1])
            self._cells[wanted].said = self._running[wanted].said
            self._cells[wanted].recordings = self._running[wanted].recordings
            self._cells[wanted].fingerprint = self._fingerprints[wanted]
            self._pace[wanted] = self._cells[wanted].connection.read(PACE)
            self._cells[wanted].reset()
        except BaseException:
            self.drop(wanted)
            raise
        return self._cells[wanted]

    def _put_back(self, wanted: Wanted) -> None:
        """Leave nothing of the test before: its recordings, its way with time, its commands."""
        cell, call = self._cells[wanted], self._cells[wanted].connection.call
        recording, state, *pace = cell.connection.read(["Simulation.Recording", STATE, *PACE])
        if recording:
            call("Simulation.StopRecording")
        for file in cell.recordings.iterdir() if cell.recordings else ():
            file.unlink()  # its name is free again
        if state == "Fault":
            call("Simulation.Reset")  # until then it takes no order about its time
        if pace != self._pace[wanted]:
            mode, cycle_ms, speed = self._pace[wanted]
            call("Simulation.SetTimeMode", mode, cycle_ms)
            call("Simulation.SetSpeed", speed)
        if cell.connection.read([STATE]) == ["Paused"]:
            call("Simulation.Resume")
        cell.reset()

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
