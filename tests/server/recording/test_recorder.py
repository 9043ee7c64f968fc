"""The recorder takes every row of the ring into a file, or says what it missed."""

import errno
import os
import pickle
import random
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from mcap.reader import make_reader

from tests.server.realtime.looped_cell import LoopedCell
from tests.server.recording.recorded_cell import all_rows, replayed, ticks_of
from twincell.server.realtime.shared import journal
from twincell.server.realtime.shared.journal import Entry
from twincell.server.realtime.shared.order_box import Kind, Result
from twincell.server.realtime.shared.record_box import Outcome
from twincell.server.realtime.shared.ring import GUARD_ROWS, NOBODY_RECORDS
from twincell.server.realtime.stamps import UNIT_NS, UNITS_1601_TO_1970
from twincell.server.recording import recorder
from twincell.server.recording.rebuilt_cell import rebuilt
from twincell.server.recording.recorder import Recorder
from twincell.server.recording.recording import Event, Fault
from twincell.sim.cell import Cell
from twincell.sim.plan import plan_joint

ROBOTS = Path(__file__).parents[3] / "config" / "robots"


def test_a_recorder_that_nobody_asked_records_nothing(recorded):
    cell = recorded().begin()
    cell.turn(10)
    assert cell.link.recorded[0] == NOBODY_RECORDS
    assert cell.link.recording.file == ""
    assert list(cell.folder.iterdir()) == []


def test_all_rows_are_in_the_file_bit_by_bit(recorded):
    cell = recorded(at_once="run.mcap").begin()
    cell.turn(1500)
    cell.write(Flange_Closed=1)
    cell.turn(300)
    cell.recorder.end()
    expected = [(n, row.tobytes()) for n, row in enumerate(cell.rows)]
    assert all_rows(cell.recording("run.mcap")) == expected
    assert cell.link.recording.rows == len(expected)
    assert (cell.link.recording.file, cell.link.recording.lost) == ("", 0)


def test_all_messages_have_a_time_of_the_run(recorded):
    cell = recorded(at_once="run.mcap").begin()
    cell.turn(300)
    cell.order(Kind.RESET)
    cell.turn(20)
    cell.recorder.end()
    with (cell.folder / "run.mcap").open("rb") as file:
        statistics = make_reader(file).get_summary().statistics
    stamps = [(stamp - UNITS_1601_TO_1970) * UNIT_NS for stamp in cell.stamps]
    assert statistics.message_start_time == stamps[0]
    assert statistics.message_end_time <= stamps[-1]


def test_it_shows_how_far_it_is(recorded):
    cell = recorded(at_once="run.mcap").begin()
    cell.turn(20)
    assert cell.link.recorded[0] == cell.link.ring.written
    assert cell.link.recording.file == "run.mcap"
    assert cell.link.recording.rows == cell.link.ring.written


def test_resets_restores_and_steps_are_replayed_bit_for_bit(recorded):
    cell = recorded(at_once="run.mcap").begin()
    cell.turn(150)
    snapshot = cell.order(Kind.SNAPSHOT).value
    cell.turn(300)
    cell.order(Kind.RESTORE, snapshot)  # running
    cell.turn(40)
    cell.write(Flange_Closed=1)
    cell.order(Kind.PAUSE)
    cell.order(Kind.RESTORE, snapshot)  # paused: its row is shown again
    cell.order(Kind.STEP, 25)
    cell.order(Kind.RESET)
    cell.link.commands.put([(-1, 1.0)])  # the timeline ends
    cell.order(Kind.RESUME)
    cell.turn(200)
    cell.recorder.end()
    replay = replayed(cell.recording("run.mcap"))
    assert replay.deviation is None
    assert (replay.compared, replay.skipped) == (cell.link.ring.written, 0)


@pytest.mark.parametrize("seed", range(6))
def test_any_sequence_of_orders_and_commands_is_replayed_bit_for_bit(recorded, seed):
    choose = random.Random(seed)
    cell = recorded(at_once="run.mcap").begin(paused=choose.random() < 0.5)
    snapshots = []
    for _ in range(60):
        action = choose.choice(["turn", "write", "snapshot", "restore", *Kind.__members__])
        if action == "write":
            end_timeline = [(-1, 1.0)] if choose.random() < 0.2 else []
            cell.link.commands.put([*end_timeline, (0, float(choose.random() < 0.5))])
        elif action in ("snapshot", "SNAPSHOT"):
            snapshots.append(cell.order(Kind.SNAPSHOT).value)
        elif action in ("restore", "RESTORE") and snapshots:
            cell.order(Kind.RESTORE, choose.choice(snapshots))
        elif action in ("RESET", "PAUSE", "RESUME", "RECORD"):
            cell.order(Kind[action])
        elif action == "STEP":
            cell.order(Kind.STEP, choose.randint(1, 40))
        cell.turn(choose.randint(1, 30))
    cell.recorder.end()
    replay = replayed(cell.recording("run.mcap"))
    assert replay.deviation is None
    assert (replay.compared, replay.skipped) == (cell.link.ring.written, 0)


def test_moves_that_were_ordered_are_replayed_bit_for_bit(recorded, tmp_path):
    arm = tmp_path / "arm.toml"
    arm.write_text(
        f"""
        name = "One arm"
        [robot.Arm]
        model = "{os.path.relpath(ROBOTS / "arm6.urdf", tmp_path)}"
        start_deg = [0, -20, 40, 0, 70, 0]
        """
    )
    cell = recorded(arm).begin()
    cell.turn(20)
    cell.start("arm")
    start = cell.cell.robot("Arm").target
    plan = plan_joint(cell.cell.compiled.arms[0], start, start + 0.1)
    assert cell.order(Kind.MOVE, 0, pickle.dumps(plan)).result is Result.DONE
    cell.turn(100)
    cell.stop()
    replay = replayed(cell.recording("arm.mcap"))
    assert (replay.deviation, replay.skipped) == (None, 0)
    assert cell.column("Arm.Moving")[-1] == 1.0


def test_a_shipped_robot_is_rebuilt_as_it_was_recorded_whatever_is_shipped_now(recorded, tmp_path):
    (tmp_path / "arm.toml").write_text('name = "One arm"\n[robot.Arm]\nmodel = "arm6"\n')
    cell = recorded(tmp_path / "arm.toml", at_once="run.mcap").begin()
    cell.turn(20)
    cell.recorder.end()
    files = cell.recording("run.mcap").facts.files
    assert files.shipped == {"arm6.urdf": (ROBOTS / "arm6.urdf").read_bytes()}
    then = files.shipped["arm6.urdf"].replace(b'name="joint_1"', b'name="axis_1"')
    model = rebuilt(replace(files, shipped={"arm6.urdf": then})).spec.robot_models["Arm"]
    assert model.axes[0].name == "axis_1"
    replay = replayed(cell.recording("run.mcap"))
    assert (replay.deviation, replay.skipped) == (None, 0)


def test_a_loop_that_was_started_again_is_replayed_from_its_start(recorded):
    cell = recorded(at_once="run.mcap").begin()
    cell.turn(200)
    again = LoopedCell(Cell.load(cell.cell.spec.source.file), cell.link).begin()
    again.turn(150)
    cell.recorder.end()
    replay = replayed(cell.recording("run.mcap"))
    assert (replay.deviation, replay.compared) == (None, cell.link.ring.written)


def test_a_recording_that_begins_in_the_middle_replays_from_there(recorded):
    cell = recorded().begin()
    cell.turn(400)
    assert cell.start("later").outcome is Outcome.DONE
    cell.turn(300)
    assert cell.stop().outcome is Outcome.DONE
    recording = cell.recording("later.mcap")
    assert ticks_of(recording)[0] == recording.facts.first_row > 400
    replay = replayed(recording)
    assert (replay.deviation, replay.skipped) == (None, 0)
    assert replay.compared == cell.link.recording.rows >= 300


def test_some_signals_at_a_lower_rate_still_replay_and_keep_every_command(recorded):
    cell = recorded().begin(timeline=False)
    cell.turn(50)
    cell.start("few", every=10, signals=("Tool.Force.*",))
    cell.turn(33)
    cell.write(Flange_Closed=1)
    cell.turn()
    cell.write(Flange_Closed=0)  # a pulse of one tick, between two rows that are kept
    cell.turn(100)
    cell.stop()
    recording = cell.recording("few.mcap")
    names = [signal.name for signal in recording.signals]
    assert names == ["Flange.Closed", "Tool.Force.X", "Tool.Force.Y", "Tool.Force.Z"]
    numbers = [number for number, _ in all_rows(recording)]
    assert set(np.diff(numbers)) == {10}
    pulse = np.concatenate([part.latched[:, 0] for part in recording.rows()])
    assert pulse.sum() == 1
    replay = replayed(recording)
    assert (replay.deviation, replay.compared) == (None, len(numbers))


def test_a_recorder_that_was_overtaken_says_so_and_goes_on(recorded, caplog):
    cell = recorded(at_once="run.mcap", ring_rows=512).begin()
    cell.turn(100)
    super(type(cell), cell).turn(1000)  # while the recorder sleeps
    cell.recorder.look()
    cell.recorder.end()
    lost = 1001 + 100 - 512 + GUARD_ROWS - 101
    recording = cell.recording("run.mcap")
    told = [part.text for part in recording.parts() if isinstance(part, Event)]
    assert f"{lost} rows were lost: the recorder came too late" in told
    assert cell.link.recording.lost == lost
    assert "rows were lost" in caplog.text
    assert len(all_rows(recording)) == cell.link.ring.written - lost
    replay = replayed(recording)
    assert (replay.compared, replay.skipped) == (101, 512 - GUARD_ROWS)


def test_after_lost_rows_a_reset_is_a_place_to_go_on_from(recorded):
    cell = recorded(at_once="run.mcap", ring_rows=512).begin()
    super(type(cell), cell).turn(1000)
    cell.recorder.look()
    cell.order(Kind.RESET)
    cell.turn(50)
    cell.recorder.end()
    replay = replayed(cell.recording("run.mcap"))
    assert replay.deviation is None
    assert replay.compared == 51


def test_a_restored_row_that_was_lost_is_not_shown_after_a_reset(recorded):
    cell = recorded(at_once="run.mcap", ring_rows=512).begin()
    cell.turn(150)
    snapshot = cell.order(Kind.SNAPSHOT).value
    cell.order(Kind.PAUSE)
    without_recorder = super(type(cell), cell)
    cell.link.orders.post(Kind.RESTORE, snapshot)
    without_recorder.turn(3)
    cell.link.orders.post(Kind.RESUME, 0.0)
    without_recorder.turn(1000)
    cell.recorder.look()
    cell.order(Kind.RESET)
    cell.turn(50)
    cell.recorder.end()
    replay = replayed(cell.recording("run.mcap"))
    assert replay.deviation is None
    assert replay.skipped > 0


def test_partners_that_change_are_events(recorded):
    cell = recorded(at_once="run.mcap").begin()
    cell.turn(1100)
    cell.recorder.end()
    events = [part for part in cell.recording("run.mcap").parts() if isinstance(part, Event)]
    assert [(event.tick, event.text) for event in events] == [
        (100, "Tool went from Holder to Flange"),
        (1000, "Tool released by Flange"),
    ]


def test_a_fault_is_in_the_recording(recorded, exploding_cell):
    cell = recorded(exploding_cell, at_once="run.mcap").begin()
    cell.turn(200)
    cell.recorder.end()
    faults = [part for part in cell.recording("run.mcap").parts() if isinstance(part, Fault)]
    assert [fault.tick for fault in faults] == [cell.ticks[-1]]
    assert "grew beyond all bounds" in faults[0].text
    assert replayed(cell.recording("run.mcap")).deviation is None


@pytest.mark.parametrize(
    "name", ["", "../up", "/etc/run", "a/b", ".hidden", "..", "a\\b", "new\nline"]
)
def test_a_name_that_is_more_than_a_name_is_refused(recorded, name):
    cell = recorded().begin()
    assert cell.start(name).outcome is Outcome.BAD_NAME
    assert list(cell.folder.iterdir()) == []
    assert "the folder is the server's" in cell.link.recording.error


def test_a_name_with_a_nul_cannot_be_handed_over(recorded):
    with pytest.raises(ValueError, match="NUL"):
        recorded().begin().start("nul\0")


def test_what_cannot_be_done_is_told_and_changes_nothing(recorded):
    cell = recorded().begin()
    assert cell.stop().outcome is Outcome.NOT_NOW
    assert cell.start("x", signals=("Nobody.*",)).outcome is Outcome.BAD_SIGNALS
    assert cell.link.recording.error == "no signal is called Nobody.*"
    (cell.folder / "old.mcap").write_text("precious")
    assert cell.start("old").outcome is Outcome.EXISTS
    assert (cell.folder / "old.mcap").read_text() == "precious"
    assert cell.start("new").outcome is Outcome.DONE
    assert cell.link.recording.error == ""
    assert cell.start("another").outcome is Outcome.NOT_NOW


def test_a_folder_that_cannot_be_written_is_told(recorded, tmp_path):
    cell = recorded().begin()
    cell.folder.rmdir()
    cell.folder.write_text("a file where the folder should be")
    assert cell.start("run").outcome is Outcome.NOT_WRITABLE
    assert "the server's folder: cannot be made" in cell.link.recording.error
    cell.turn(5)


def test_a_full_disk_ends_the_recording_and_the_cell_goes_on(recorded, small_disk, caplog):
    cell = recorded(at_once="run.mcap").begin()
    for _ in range(200):
        cell.turn(20)
    assert cell.link.recording.file == ""
    assert cell.link.recorded[0] == NOBODY_RECORDS
    assert "run.mcap: could not be written: File too large" in cell.link.recording.error
    assert "could not be written" in caplog.text
    recording = cell.recording("run.mcap")
    rows = all_rows(recording)
    assert recording.damage == ""
    assert rows == [(n, row.tobytes()) for n, row in enumerate(cell.rows[: len(rows)])]
    assert len(rows) >= 20
    assert cell.link.recording.rows == len(rows)
    assert cell.link.ring.written == 4001


def test_a_disk_without_space_at_the_start_leaves_no_file(recorded, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    cell = recorded().begin()
    monkeypatch.setattr(os, "pwrite", full)
    assert cell.start("run").outcome is Outcome.NOT_WRITABLE
    assert "No space left on device" in cell.link.recording.error
    assert list(cell.folder.iterdir()) == []


@pytest.mark.parametrize("at_once", [None, "run.mcap"])
def test_clients_do_not_see_where_the_server_keeps_its_files(recorded, at_once, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    cell = recorded(at_once=at_once).begin()
    if not at_once:
        assert cell.start("run").text == "run.mcap"
    cell.turn(5)
    assert cell.link.recording.file == "run.mcap"
    assert cell.start("run").text == "it records into run.mcap already"
    monkeypatch.setattr(os, "pwrite", full)
    cell.turn(5)
    assert cell.link.recording.error == "run.mcap: could not be written: No space left on device"
    told = [cell.start("other").text, cell.start("run").text, cell.start("../x").text]
    assert not any(str(cell.folder.parent) in text for text in told)


def test_a_disk_that_does_not_keep_what_was_written_ends_the_recording(recorded, monkeypatch):
    def broken(_file):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(recorder, "SYNC_S", 0.0)
    monkeypatch.setattr(os, "fsync", broken)
    cell = recorded(at_once="run.mcap").begin()
    deadline = time.monotonic() + 60.0
    while cell.link.recording.file and time.monotonic() < deadline:
        cell.turn(5)
    assert cell.link.recording.error == "run.mcap: could not be written: Input/output error"
    assert cell.link.recorded[0] == NOBODY_RECORDS
    recording = cell.recording("run.mcap")
    assert all_rows(recording)
    assert recording.damage == ""


def test_many_orders_at_once_are_all_recorded(recorded, monkeypatch):
    """In lock step a client can restore states faster than the journal's memory lasts."""
    monkeypatch.setattr(recorder, "LONGEST_WAIT_S", 3600.0)
    monkeypatch.setattr(journal, "BYTES", 400_000)
    cell = recorded(at_once="run.mcap").begin()
    cell.turn(20)
    cell.order(Kind.PAUSE)
    snapshot = cell.order(Kind.SNAPSHOT).value
    for _ in range(300):
        cell.order(Kind.RESTORE, snapshot)
    cell.recorder.end()
    recording = cell.recording("run.mcap")
    kinds = [part.kind for part in recording.parts() if isinstance(part, Entry)]
    assert kinds.count("restore") == 300
    assert sum(entry_bytes(recording)) > 400_000  # more than the journal holds at once
    replay = replayed(recording)
    assert (replay.deviation, replay.skipped) == (None, 0)


def entry_bytes(recording) -> list[int]:
    return [len(part.payload) for part in recording.parts() if isinstance(part, Entry)]


def test_a_new_recorder_tells_what_the_last_one_left(recorded):
    cell = recorded(at_once="run.mcap").begin()
    cell.turn(30)
    cell.recorder = Recorder(cell.link, recorded().wanted)
    assert "run.mcap: its recorder ended" in cell.link.recording.error
    assert cell.link.recorded[0] == NOBODY_RECORDS
    assert len(all_rows(cell.recording("run.mcap"))) == 31
