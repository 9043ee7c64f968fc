"""What a browser gets of a recording, and which recordings a page lists."""

import asyncio
import os

import numpy as np
import pytest

from tests.server.recording.recorded_cell import RecordedCell
from twincell.server.client.mistake import Mistake
from twincell.server.recording import recorder
from twincell.server.web.data import history, replay
from twincell.server.web.data import recording_list as recording_list
from twincell.server.web.data.recording_list import RecordingList
from twincell.server.web.data.replay import HEADER, Replays


async def test_a_long_recording_has_fewer_frames_over_the_same_time(
    small_cell, tmp_path, monkeypatch
):
    monkeypatch.setattr(recorder, "LONGEST_WAIT_S", 0.0)
    cell = RecordedCell(small_cell, tmp_path, at_once="run.mcap").begin()
    cell.turn(1000)
    cell.recorder.end()

    async def times(most_bytes: int) -> np.ndarray:
        monkeypatch.setattr(replay, "MOST_BYTES", most_bytes)
        _, opened = await Replays().open(tmp_path / "run.mcap")
        assert opened.table.rows[:-1].nbytes <= most_bytes  # and the last row
        frames, slots = HEADER.unpack_from(opened.frames)
        assert slots == len(opened.scene.columns)
        return np.frombuffer(opened.frames, "<f4", offset=HEADER.size).reshape(frames, -1)[:, 0]

    whole = await times(10**7)
    assert whole[:3] == pytest.approx([0.0, 0.033, 0.066])
    few = await times(5000)
    assert 2 <= len(few) < len(whole)
    assert set(few) <= set(whole)
    assert few[-1] == whole[-1] == pytest.approx(0.999, abs=0.0015)  # the end is there

    with pytest.raises(Mistake, match=r"^nothing\.mcap"):
        await Replays().open(tmp_path / "nothing.mcap")


async def test_recordings_are_listed_the_newest_first_while_somebody_wants_to_know(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(recording_list, "LOOK_S", 0.001)
    for age_s, name in ((100, "old.mcap"), (0, "new.mcap"), (50, "notes.txt")):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (1e9 - age_s, 1e9 - age_s))
    found = RecordingList(tmp_path)
    looking = asyncio.create_task(found.run())
    async with asyncio.timeout(60.0):
        while (files := found.files()) is None:
            await asyncio.sleep(0.001)
    looking.cancel()
    assert [file.name for file in files] == ["new.mcap", "old.mcap"]


async def test_a_recording_has_its_values_between_frames_and_the_kinds_of_its_events(
    small_cell, tmp_path, monkeypatch
):
    monkeypatch.setattr(recorder, "LONGEST_WAIT_S", 0.0)
    cell = RecordedCell(small_cell, tmp_path, at_once="run.mcap").begin()
    cell.turn(1000)
    cell.recorder.end()
    replays = Replays()
    name, opened = await replays.open(tmp_path / "run.mcap")

    # the tool is caught within one tick: nobody sees that in frames alone
    whole = [part for part in cell.recording("run.mcap").rows()]
    force = opened.signals["Tool.Force.Z"].column
    every = np.concatenate([part.values[:, force] for part in whole])
    data = opened.history([force], points=20_000)
    count, columns = history.HEADER.unpack_from(data)
    times, values = np.frombuffer(data, "<f8", offset=8).reshape(columns, count)
    assert values.max() == np.float32(every.max())
    assert values.min() == np.float32(every.min())
    assert (np.diff(times) >= 0).all()

    # the row of a frame, as a browser and as the card of what is selected get it
    row = np.frombuffer(opened.row(3), "<f4")
    np.testing.assert_array_equal(row, opened.row_at(3 * 0.033 + 0.001))
    assert opened.row(10**6) is None
    kinds = {event.text: event.kind for event in opened.events}
    assert kinds["Tool went from Holder to Flange"] == "Tools"

    # who opens many others has not closed the one that is in use
    for _ in range(replay.KEPT - 1):
        await replays.open(tmp_path / "run.mcap")
        assert replays.get(name) is opened


def test_only_recordings_of_the_folder_are_found_and_deleted(tmp_path):
    folder = tmp_path / "recordings"
    folder.mkdir()
    for path in (tmp_path / "secret.mcap", folder / "run.mcap", folder / "notes.txt"):
        path.touch()
    found = RecordingList(folder)
    assert found.path("run.mcap") == folder / "run.mcap"
    for name in (
        "../secret.mcap",
        "notes.txt",
        "nothing.mcap",
        "",
        "..",
        f"{tmp_path}/secret.mcap",
    ):
        assert found.path(name) is None
        with pytest.raises(Mistake, match="there is no recording"):
            found.delete(name)
    found.delete("run.mcap")
    assert not (folder / "run.mcap").exists()
    assert (tmp_path / "secret.mcap").exists()
