"""Cells of a test run: nothing of one test is left for the next, and what is lost comes back."""

import os
import signal
from pathlib import Path

import pytest

from tests.server.running_cell import children_of
from twincell.server.kit.cell_pool import CellPool, Wanted
from twincell.server.kit.cell_under_test import CellStopped
from twincell.server.kit.run_recording import RunRecording
from twincell.server.kit.running import Time

PACE = ["Simulation.TimeMode", "Simulation.CycleTime", "Simulation.Speed", "Simulation.State"]


def test_the_way_of_time_of_one_test_is_not_that_of_the_next(
    pool: CellPool, shared_small: Wanted
) -> None:
    cell = pool.cell(shared_small)
    first = cell.connection.read(PACE)
    for mode in ("Handshake", "FreeRun", "LockStep"):
        cell.call("Simulation.SetTimeMode", mode, 20.0)
        cell.call("Simulation.SetSpeed", 0.5)
        cell.call("Simulation.Pause")
        assert pool.cell(shared_small) is cell  # it is not started anew
        assert cell.connection.read(PACE) == first
        assert cell.tick == 0
        cell.advance(0.01)
        assert cell.tick == 10


def test_a_recording_of_one_test_does_not_go_on_in_the_next(
    pool: CellPool, shared_small: Wanted
) -> None:
    for _ in range(2):  # the name of the first time is free for the second
        cell = pool.cell(shared_small)
        cell.call("Simulation.StartRecording", "mine.mcap", 1, [])
        cell.advance(0.01)
    assert pool.cell(shared_small) is cell
    assert cell.connection.read(["Simulation.Recording"]) == [""]
    assert cell.recordings is not None and list(cell.recordings.iterdir()) == []


def test_a_test_may_end_the_recording_of_its_run(
    pool: CellPool, shared_small: Wanted, tmp_path: Path
) -> None:
    cell = pool.cell(shared_small)
    recording = RunRecording(cell)
    cell.advance(0.01)
    cell.call("Simulation.StopRecording")
    assert recording.keep(tmp_path / "kept" / "run.mcap") == tmp_path / "kept" / "run.mcap"
    assert (tmp_path / "kept" / "run.mcap").exists()


def test_a_cell_that_was_lost_is_started_again_and_takes_no_recording_with_it(
    small_cell: Path, tmp_path: Path
) -> None:
    pool, wanted = CellPool(), (str(small_cell), Time.LOCKSTEP)
    before = set(children_of(os.getpid()))
    try:
        cell = pool.cell(wanted)
        recording = RunRecording(cell)
        cell.advance(0.01)
        (pid,) = set(children_of(os.getpid())) - before
        os.kill(pid, signal.SIGKILL)
        kept = recording.keep(tmp_path / "run.mcap")
        assert kept is None or kept.stat().st_size > 0  # whatever it had written
        late = RunRecording(cell)
        assert late.keep(tmp_path / "late.mcap") is None
        late.drop()
        assert pool.cell(wanted)["Tool.Partner"] == "Holder"
    finally:
        pool.end()
    assert set(children_of(os.getpid())) == before


def test_a_cell_that_stops_itself_is_told_and_goes_on_after_a_reset(exploding_cell: Path) -> None:
    pool, wanted = CellPool(), (str(exploding_cell), Time.LOCKSTEP)
    try:
        cell = pool.cell(wanted)
        with pytest.raises(CellStopped, match="its motion grew beyond all bounds"):
            cell.advance(10.0)
        assert pool.cell(wanted) is cell
        cell.advance(0.001)
        assert cell.tick == 1
    finally:
        pool.end()
