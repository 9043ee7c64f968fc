"""What a browser gets of a recording, and which recordings a page lists."""

import asyncio
import os

import numpy as np
import pytest

from server.client.mistake import Mistake
from server.recording import recorder
from server.web import replay, shelf
from server.web.replay import HEADER, Replays
from server.web.shelf import Shelf
from tests.server.recording.recorded_cell import RecordedCell


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
        frames, slots = HEADER.unpack_from(opened.data)
        assert (frames - 1) * (slots + 1) * 4 <= most_bytes  # and the last row
        return np.frombuffer(opened.data, "<f4", offset=HEADER.size).reshape(frames, -1)[:, 0]

    whole = await times(10**7)
    assert whole[:3] == pytest.approx([0.0, 0.033, 0.066])
    few = await times(2000)
    assert 2 <= len(few) < len(whole)
    assert set(few) <= set(whole)
    assert few[-1] == whole[-1] == pytest.approx(0.999, abs=0.0015)  # the end is there

    with pytest.raises(Mistake, match=r"^nothing\.mcap"):
        await Replays().open(tmp_path / "nothing.mcap")


async def test_recordings_are_listed_the_newest_first_while_somebody_wants_to_know(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(shelf, "LOOK_S", 0.001)
    for age_s, name in ((100, "old.mcap"), (0, "new.mcap"), (50, "notes.txt")):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (1e9 - age_s, 1e9 - age_s))
    found = Shelf(tmp_path)
    looking = asyncio.create_task(found.run())
    async with asyncio.timeout(60.0):
        while (files := found.files()) is None:
            await asyncio.sleep(0.001)
    looking.cancel()
    assert [file.name for file in files] == ["new.mcap", "old.mcap"]
