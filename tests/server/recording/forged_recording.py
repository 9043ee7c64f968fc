"""Recordings of things that never happened."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from twincell.server.realtime.shared.journal import Entry
from twincell.server.recording.facts import CellFiles, Facts
from twincell.server.recording.mcap_file import McapFile
from twincell.server.recording.recording_writer import RecordingWriter, offline_stamps
from twincell.sim.cell import Cell
from twincell.sim.model import Floats


def forge(path: Path, cell: Cell, entries: Iterable[Entry], rows: Floats) -> Path:
    """Write a recording of a cell with these orders and rows."""
    writer = RecordingWriter(McapFile(path), Facts.of(cell, CellFiles.of(cell.spec)))
    for entry in entries:
        writer.add_order(entry)
    ticks = np.arange(len(rows), dtype=float)
    writer.add_rows(0, rows, ticks, offline_stamps(ticks, cell.step_s))
    writer.close()
    return path
