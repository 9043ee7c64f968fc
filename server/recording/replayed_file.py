"""A replay as a recording of its own: all signals of all rows, whatever the first one had."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from twincell.server.realtime.shared.journal import Entry
from twincell.server.recording.facts import Facts
from twincell.server.recording.mcap_bounds import LARGE
from twincell.server.recording.mcap_file import McapFile
from twincell.server.recording.recording_writer import RecordingWriter
from twincell.server.recording.replay import Replayed
from twincell.server.recording.row_block import MOST_ROWS
from twincell.sim.cell import Cell


class ReplayedFile:
    """Takes what a replay gives, which may be row by row, and writes blocks."""

    def __init__(self, path: Path, cell: Cell, facts: Facts) -> None:
        whole = replace(Facts.of(cell, facts.files), first_row=facts.first_row)
        self._writer = RecordingWriter(McapFile(path), whole)
        self._waiting: list[Replayed] = []  # rows that follow each other

    def add(self, part: Replayed | Entry) -> None:
        """Add rows or an order; an order may stand in the file before rows that it follows."""
        if isinstance(part, Entry):
            self._writer.add_order(part)
            return
        if not len(part.values):
            return
        if self._waiting and part.first != self._waiting[-1].first + len(self._waiting[-1].values):
            self._write_rows()
        self._waiting.append(part)
        if sum(len(one.values) for one in self._waiting) >= MOST_ROWS:
            self._write_rows()

    def close(self) -> None:
        """End it."""
        self._write_rows()
        self._writer.close()

    def _write_rows(self) -> None:
        if not self._waiting:
            return
        rows, self._waiting = self._waiting, []
        self._writer.add_rows(
            rows[0].first,
            np.concatenate([one.values for one in rows]),
            np.concatenate([one.ticks for one in rows]).astype(np.float64),
            np.concatenate([one.stamps for one in rows]),
        )
        if self._writer.waiting > LARGE:
            self._writer.commit()
