"""A recording of a run without a clock: `twincell simulate --record`."""

from pathlib import Path

import numpy as np

from twincell.server.offline import Rows, time_of
from twincell.server.realtime.shared import journal
from twincell.server.realtime.shared.journal import Entry
from twincell.server.recording.facts import CellFiles, Facts
from twincell.server.recording.mcap_bounds import LARGE
from twincell.server.recording.mcap_file import McapFile
from twincell.server.recording.recording_writer import RecordingWriter, offline_stamps
from twincell.sim.cell import Cell


class OfflineRecording:
    """Records a cell from its first tick on."""

    def __init__(self, path: Path, cell: Cell, files: CellFiles) -> None:
        self._cell = cell
        self._writer = RecordingWriter(McapFile(path), Facts.of(cell, files))
        has_timeline = len(cell.timeline.tick) > 0 or len(cell.compiled.moves) > 0
        self._writer.add_order(Entry(0, 0, journal.BEGIN, float(has_timeline), b""))

    def append(self, rows: Rows) -> None:
        """Add the next ticks."""
        first = self._writer.rows
        ticks = np.arange(first, first + len(rows), dtype=np.float64)
        self._writer.add_rows(first, rows, ticks, offline_stamps(ticks, self._cell.step_s))
        if self._writer.waiting > LARGE:
            self._writer.commit()

    def close(self) -> None:
        """End it, with the fault that ended the run if there was one."""
        fault = self._cell.fault
        if fault is not None:
            at = f"at tick {fault.tick} (t = {time_of(fault.tick, self._cell.step_s):g} s)"
            text = f"{fault.object}: {fault.text} {at}"
            row = self._writer.rows - 1
            self._writer.add_order(Entry(row, fault.tick, journal.FAULT, 0.0, text.encode()))
        self._writer.close()
