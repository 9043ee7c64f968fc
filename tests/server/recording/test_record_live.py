"""Recording a cell that runs in its own processes, through the command line and OPC UA."""

import os
import signal
import time

import numpy as np
import pytest

from tests.server.recording.recorded_cell import all_rows, replayed
from tests.server.running_cell import running, wait_until
from twincell.server.realtime.shared.journal import Entry
from twincell.server.recording.recording import Recording
from twincell.sim.cell import Cell


@pytest.fixture
def live(small_cell, tmp_path):
    with running(tmp_path, small_cell, "--port", 0, "--no-demo") as cell:
        yield cell


def status(twincell, url) -> dict[str, str]:
    told = twincell("record", url, "status")
    assert told.code == 0, told.err
    lines = [line.split(maxsplit=1) for line in told.out.splitlines()[1:]]
    return {line[0]: line[1] if len(line) > 1 else "" for line in lines}


def wait_for_rows(path, count) -> None:
    """Wait until so many rows are in a file that grows."""

    def are_there() -> bool:
        time.sleep(0.2)  # the cell needs the processor more than we do
        return path.exists() and rows_in(path) > count

    wait_until(are_there)


def test_a_client_starts_and_stops_recordings(live, twincell, tmp_path):
    assert status(twincell, live.url)["Recording"] == ""
    begun = twincell("record", live.url, "start", "one", "--every", 5, "--signals", "Tool")
    assert begun.code == 0, begun.err
    path = tmp_path / "recordings" / "one.mcap"
    assert "one.mcap" in begun.out
    assert str(tmp_path) not in begun.out
    refused = twincell("record", live.url, "start", "two")
    assert "it records into one.mcap already" in refused.err
    twincell("write", live.url, "Flange.Closed=true")
    wait_until(lambda: int(status(twincell, live.url)["RecordedRows"]) > 500)
    assert twincell("record", live.url, "stop").code == 0
    assert "nothing is recorded" in twincell("record", live.url, "stop").err
    for name, reason in (("one", "is there already"), ("../one", "the folder is the server's")):
        refused = twincell("record", live.url, "start", name)
        assert refused.code == 2
        assert reason in refused.err
    recording = Recording(path)
    assert recording.damage == ""
    # the refused start asked the loop for nothing
    assert orders_in(path).count("state") == 1
    assert set(np.diff([number for number, _ in all_rows(recording)])) == {5}
    replay = replayed(recording)
    assert (replay.deviation, replay.skipped) == (None, 0)
    assert any(part.latched[:, 0].any() for part in recording.rows())


def test_a_killed_recorder_is_replaced_and_the_cell_goes_on(live, twincell, tmp_path):
    twincell("record", live.url, "start", "one")
    wait_until(lambda: int(status(twincell, live.url)["RecordedRows"]) > 0)
    os.kill(live.child("twincell record"), signal.SIGKILL)
    wait_until(lambda: "the recorder ended (signal 9); the recording" in live.notes)
    wait_until(lambda: status(twincell, live.url)["Recording"] == "")
    assert "one.mcap: its recorder ended" in status(twincell, live.url)["RecordingError"]
    assert all_rows(Recording(tmp_path / "recordings" / "one.mcap"))
    assert twincell("record", live.url, "start", "two").code == 0


def test_ctrl_c_ends_the_recording_with_its_last_row(small_cell, tmp_path):
    with running(tmp_path, small_cell, "--port", 0, "--no-demo", "--record", "run.mcap") as cell:
        path = tmp_path / "run.mcap"
        wait_for_rows(path, 300)
        cell.process.send_signal(signal.SIGINT)
        cell.process.wait(20)
    recording = Recording(path)
    rows = all_rows(recording)
    assert recording.damage == ""
    assert [number for number, _ in rows] == list(range(len(rows)))
    assert replayed(recording).deviation is None


def test_rows_of_a_live_cell_are_those_of_an_offline_run(small_cell, tmp_path):
    path = tmp_path / "run.mcap"
    with running(tmp_path, small_cell, "--port", 0, "--no-demo", "--record", "run.mcap"):
        wait_for_rows(path, 1500)
    rows = all_rows(Recording(path))
    offline = Cell.load(small_cell).run(len(rows))
    assert rows == [(n, row.tobytes()) for n, row in enumerate(offline)]


def test_moves_that_the_demo_orders_are_replayed_bit_for_bit(tmp_path):
    path = tmp_path / "run.mcap"
    with running(tmp_path, "tool_change_multi", "--port", 0, "--record", "run.mcap") as cell:
        # the demo resets the cell first, and orders its first moves after a quarter of a second
        wait_until(lambda: "move" in orders_in(path))
        wait_for_rows(path, rows_in(path) + 500)
        assert cell.process.poll() is None
    assert {"begin", "timeline off", "reset", "move"} <= set(orders_in(path))
    replay = replayed(Recording(path))
    assert (replay.deviation, replay.skipped) == (None, 0)
    assert replay.compared == rows_in(path)


def orders_in(path) -> list[str]:
    time.sleep(0.2)
    if not path.exists():
        return []
    return [part.kind for part in Recording(path).parts() if isinstance(part, Entry)]


def rows_in(path) -> int:
    return sum(len(part.ticks) for part in Recording(path).rows())
