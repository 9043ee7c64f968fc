"""Kill -9 at any instant: the file opens, and all that was written before is in it."""

import io
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest
from mcap.reader import make_reader

from tests.server.recording.recorded_cell import all_rows, replayed
from tests.server.running_cell import is_there, running, wait_until
from tests.server.twincell_command import environment
from twincell.server.recording.recording import Recording

KILLS = 8
LATEST_S = 0.4  # of a kill after the first commit; the writer makes some hundred commits a second

# records as fast as it can, and says after each commit how many rows are in the file
WRITER = """
import sys
from pathlib import Path
from twincell.server.recording.facts import CellFiles, Facts
from twincell.server.recording.mcap_file import McapFile
from twincell.server.recording.recording_writer import RecordingWriter, offline_stamps
from twincell.server.realtime.shared.journal import Entry
from twincell.sim.cell import Cell
import numpy as np

cell = Cell.load(sys.argv[1])
cell.warm_up()
writer = RecordingWriter(McapFile(Path(sys.argv[2])), Facts.of(cell, CellFiles.of(cell.spec)))
writer.add_order(Entry(0, 0, "begin", 1.0, b""))
while True:
    first = writer.rows
    ticks = np.arange(first, first + 20, dtype=float)
    writer.add_rows(first, cell.run(20), ticks, offline_stamps(ticks, cell.step_s))
    writer.commit()
    print(writer.rows, flush=True)
"""


@pytest.mark.parametrize("attempt", range(KILLS))
def test_a_killed_writer_leaves_a_file_that_opens_with_all_it_has_written(
    small_cell, tmp_path, attempt
):
    path = tmp_path / "run.mcap"
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(small_cell), str(path)],
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    first = process.stdout.readline()
    time.sleep(random.Random(attempt).uniform(0, LATEST_S))
    process.send_signal(signal.SIGKILL)
    said = [first, *process.communicate()[0].splitlines()]
    committed = int([line for line in said if line.strip()][-1])

    recording = Recording(path)
    rows = all_rows(recording)
    assert len(rows) >= committed
    assert [number for number, _ in rows] == list(range(len(rows)))
    replay = replayed(recording)
    assert (replay.deviation, replay.compared) == (None, len(rows))
    # a write is one system call, so not even the library's own reader notices the kill
    make_reader(io.BytesIO(path.read_bytes()), validate_crcs=True).get_summary()


def test_a_killed_cell_leaves_every_row_that_it_said_it_had_recorded(
    small_cell, tmp_path, twincell
):
    """What a client has read as recorded is in the file, however soon everything is killed."""
    with running(tmp_path, small_cell, "--port", 0, "--no-demo", "--record", "run.mcap") as cell:

        def rows_said() -> int:
            told = twincell("record", cell.url, "status").out
            return int(told.split("RecordedRows", 1)[1].split()[0])

        # a busy machine takes longer, and proves the same
        wait_until(lambda: rows_said() > 1000)
        recorder, said = cell.child("twincell record"), rows_said()
        cell.process.kill()
        with suppress(ProcessLookupError):
            os.kill(recorder, signal.SIGKILL)
        cell.process.wait()
        wait_until(lambda: not is_there(recorder))
    recording = Recording(tmp_path / "run.mcap")
    rows = all_rows(recording)
    assert len(rows) >= said > 1000
    assert [number for number, _ in rows] == list(range(len(rows)))
    replay = replayed(recording)
    assert (replay.deviation, replay.compared) == (None, len(rows))
