"""Recordings as a user meets them: simulate, info, replay, export, plot, diff."""

import csv
import json
import os
import struct
import zlib
from typing import NamedTuple

import numpy as np
import pytest
from mcap.reader import make_reader

from tests.server.recording.recorded_cell import all_rows
from twincell.server.cli import app
from twincell.server.cli.exit_codes import BAD_INPUT
from twincell.server.errors import Refusal
from twincell.server.files.atomic import NotWritable
from twincell.server.recording import offline_recording
from twincell.server.recording.recording import Recording
from twincell.sim.cell import Cell


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def twincell(tmp_path, monkeypatch, capsys):
    """The command line, in this process: a process of its own takes seconds to start."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Ended:
        capsys.readouterr()
        code, refusal = 0, ""
        try:
            code = app([str(argument) for argument in arguments], standalone_mode=False) or 0
        except (Refusal, NotWritable) as problem:
            code, refusal = BAD_INPUT, str(problem)
        told = capsys.readouterr()
        return Ended(code, told.out, told.err + refusal)

    return call


@pytest.fixture
def run(twincell, small_cell, tmp_path):
    """1.2 s of the small cell."""
    ended = twincell("simulate", small_cell, "--until", 1.2, "--record", "run.mcap")
    assert ended.code == 0, ended.err
    assert "written: run.mcap" in ended.out
    return tmp_path / "run.mcap"


def test_a_recorded_run_has_every_bit_of_every_row(run, small_cell):
    rows = Cell.load(small_cell).run(1200)
    assert all_rows(Recording(run)) == [(n, row.tobytes()) for n, row in enumerate(rows)]


def test_equal_runs_give_equal_files(run, twincell, small_cell, tmp_path):
    twincell("simulate", small_cell, "--until", 1.2, "--record", "again.mcap")
    assert (tmp_path / "again.mcap").read_bytes() == run.read_bytes()


def test_info_tells_what_is_in_it(run, twincell):
    told = twincell("info", run, "--events").out
    for part in ("Small cell", "1200, 1.2 s at a step of 0.001 s", "0 to 1199", "Tool went from"):
        assert part in told


def test_a_recording_of_a_few_rows_has_their_events(twincell, small_cell, tmp_path):
    twincell("simulate", small_cell, "--until", 0.2, "--record", "short.mcap")
    told = twincell("info", "short.mcap", "--events").out
    assert "begin" in told
    assert "Tool went from Holder to Flange" in told


def test_a_replay_gives_the_same_bits_and_can_be_recorded(run, twincell, tmp_path):
    ended = twincell("replay", run, "--out", "again.mcap")
    assert (ended.code, ended.out) == (0, "1200 rows, bit for bit\n")
    assert all_rows(Recording(tmp_path / "again.mcap")) == all_rows(Recording(run))
    assert twincell("diff", run, "again.mcap").out == "1200 rows are equal\n"


def test_a_recording_is_replayed_without_the_files_it_was_made_from(run, twincell, small_cell):
    small_cell.unlink()
    assert twincell("replay", run).code == 0


def test_robots_are_built_from_the_recording(twincell, tmp_path):
    twincell("simulate", "tool_change_multi", "--until", 0.5, "--record", "arms.mcap")
    assert twincell("replay", "arms.mcap").out == "500 rows, bit for bit\n"


def test_csv_is_what_simulate_writes(run, twincell, small_cell, tmp_path):
    twincell("simulate", small_cell, "--until", 1.2, "--out", "run.csv")
    ended = twincell("export", run, "--out", "exported.csv")
    assert ended.out == "1200 rows written: exported.csv\n"
    assert (tmp_path / "exported.csv").read_bytes() == (tmp_path / "run.csv").read_bytes()


def test_some_signals_of_a_span_of_time_are_exported(run, twincell, tmp_path):
    options = ("--signals", "Tool.Force.*", "--from", 0.3, "--to", 0.5)
    twincell("export", run, "--out", "part.csv", *options)
    with (tmp_path / "part.csv").open() as file:
        lines = list(csv.reader(file))
    assert lines[0] == ["time", "Tool.Force.X", "Tool.Force.Y", "Tool.Force.Z"]
    assert (lines[1][0], lines[-1][0], len(lines)) == ("0.3", "0.5", 202)


def assert_fits(value: object, schema: dict) -> None:
    """Whether a message has exactly the members of its schema, of their types."""
    types = {"object": dict, "number": float, "integer": int, "boolean": bool, "string": str}
    assert isinstance(value, types[schema["type"]])
    if isinstance(value, dict):
        assert list(value) == list(schema["properties"])
        for name, member in value.items():
            assert_fits(member, schema["properties"][name])


def test_plain_mcap_has_every_row_as_json_that_fits_its_schema(run, twincell, small_cell, tmp_path):
    twincell("export", run, "--out", "plain.mcap", "--signals", "Tool")
    rows = Cell.load(small_cell).run(1200)
    signals = Cell.load(small_cell).signals
    with (tmp_path / "plain.mcap").open("rb") as file:
        found = list(make_reader(file, validate_crcs=True).iter_messages())
    assert len(found) == 1200
    schema, channel, _ = found[0]
    assert (channel.topic, channel.message_encoding, schema.encoding) == (
        "/Tool",
        "json",
        "jsonschema",
    )
    for tick in (0, 50, 500, 1100):
        message = json.loads(found[tick][2].data)
        assert_fits(message, json.loads(schema.data))
        assert message["tick"] == tick
        assert message["Pose"]["Z"] == rows[tick, signals["Tool.Pose.Z"].column]
        partner = signals["Tool.Partner"]
        assert message["Partner"] == partner.texts[int(rows[tick, partner.column])]
    times = np.array([message.log_time for _, _, message in found])
    assert set(np.diff(times)) == {1_000_000}


def test_the_preview_of_a_recording_needs_no_plug_in(run):
    with run.open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        topics = {channel.topic for channel in reader.get_summary().channels.values()}
        preview = [message for _, _, message in reader.iter_messages(topics=["/Tool"])]
        attached = {one.name for one in reader.iter_attachments()}
    assert {"/Tool", "/Flange", "/twincell/commands", "/twincell/feedback"} <= topics
    assert [json.loads(message.data)["tick"] for message in preview] == list(range(0, 1200, 50))
    assert attached == {"recording.json", "cell.toml"}


def test_pictures_are_drawn_of_the_story_and_of_signals(run, twincell, tmp_path):
    assert twincell("plot", run, "--out", "story.png").code == 0
    assert twincell("plot", run, "--out", "z.svg", "--signals", "*.Force.Z").code == 0
    assert (tmp_path / "story.png").stat().st_size > 20_000
    assert (tmp_path / "z.svg").stat().st_size > 20_000


def test_diff_shows_the_first_tick_and_signal_and_the_worst(run, twincell, small_cell, tmp_path):
    other = tmp_path / "other.toml"
    other.write_text(small_cell.read_text().replace("at_s = 0.1\n", "at_s = 0.12\n"))
    twincell("simulate", other, "--until", 1.0, "--record", "other.mcap")
    ended = twincell("diff", run, "other.mcap")
    assert ended.code == 1
    at = "first deviation: tick 100 (t = 0.1 s): Flange.Closed: 1.0 and 0.0"
    assert ended.out.splitlines()[0] == at
    assert "1000 rows compared" in ended.out
    assert "200 rows at the end" in ended.err
    assert "different cell files" in ended.err
    assert twincell("diff", run, "other.mcap", "--signals", "Robot").code == 0
    loose = twincell("diff", run, "other.mcap", "--abs", 100.0, "--rel", 0.1)
    assert (loose.code, loose.out) == (0, "1000 rows are equal\n")


def test_a_changed_recording_is_found_by_its_replay(run, twincell, small_cell, tmp_path):
    """The same commands into a cell with another mass: the first force differs."""
    heavy = tmp_path / "heavy.toml"
    heavy.write_text(small_cell.read_text().replace("mass_kg = 1.0", "mass_kg = 2.0"))
    twincell("simulate", heavy, "--until", 0.2, "--record", "heavy.mcap")
    data = (tmp_path / "heavy.mcap").read_bytes()
    # the recording says that it is of the light cell: attachments carry a checksum of their own
    forged = _with_cell(data, b"mass_kg = 2.0", b"mass_kg = 1.0")
    (tmp_path / "forged.mcap").write_bytes(forged)
    ended = twincell("replay", "forged.mcap")
    assert ended.code == 1
    assert ended.out.startswith("tick 0 (t = 0 s): ")
    assert ".Force." in ended.out


def _with_cell(data: bytes, old: bytes, new: bytes) -> bytes:
    """Change the attached cell file, and its checksum."""
    start = data.index(b"cell.toml") - 29  # kind, length, two times, length of the name
    (length,) = struct.unpack_from("<Q", data, start + 1)
    body = bytearray(data[start + 9 : start + 9 + length])
    at = body.index(old)
    body[at : at + len(old)] = new
    body[-4:] = struct.pack("<I", zlib.crc32(body[:-4]))
    return data[: start + 9] + bytes(body) + data[start + 9 + length :]


def test_a_full_disk_is_named_and_what_was_written_is_a_recording(
    twincell, small_cell, tmp_path, small_disk, monkeypatch
):
    monkeypatch.setattr(offline_recording, "LARGE", 0)  # so that it commits with every chunk
    ended = twincell("simulate", small_cell, "--until", 20, "--record", "run.mcap")
    assert ended.code == 2
    assert "run.mcap: could not be written: File too large" in ended.err
    recording = Recording(tmp_path / "run.mcap")
    rows = all_rows(recording)
    assert recording.damage == ""
    offline = Cell.load(small_cell).run(len(rows))
    assert rows == [(n, row.tobytes()) for n, row in enumerate(offline)]
    assert rows


def test_what_is_left_of_a_recording_that_was_cut_is_used(recorded, twincell):
    cell = recorded(at_once="run.mcap").begin()
    for _ in range(20):
        cell.turn(50)
    path = cell.folder / "run.mcap"
    os.truncate(path, path.stat().st_size * 2 // 3)
    ended = twincell("replay", path)
    assert ended.code == 0
    rows = int(ended.out.removesuffix(" rows, bit for bit\n"))
    assert 300 < rows < 1000
    assert "cut off or damaged at byte" in ended.err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["info", "no.mcap"], "no.mcap: cannot be read: No such file"),
        (["info", "small.toml"], "small.toml: is no MCAP file"),
        (["info", "plain.mcap"], "plain.mcap: is no recording of twincell"),
        (["replay", "run.mcap", "--out", "run.mcap"], "is there already"),
        (["export", "run.mcap", "--out", "run.txt"], "unknown kind of file"),
        (["export", "run.mcap", "--out", "x.csv", "--signals", "Nobody"], "no signal is called"),
        (["export", "run.mcap", "--out", "x.csv", "--from", "2", "--to", "1"], "no span of time"),
        (["export", "run.mcap", "--out", "x.csv", "--from", "99"], "goes from 0 to 1"),
        (["export", "run.mcap", "--out", "x.csv", "--from", "-1"], "must be 0 or more"),
        (["export", "run.mcap", "--out", "x.csv", "--signals", "Tol.Mode"], "did you mean Tool."),
        (["plot", "run.mcap", "--out", "x.png", "--from", "99"], "goes from 0 to 1"),
        (["plot", "run.mcap", "--out", "x.png", "--from", "1e99"], "has no rows between"),
        (["export", "run.mcap", "--out", "no/x.csv"], "there is no folder no"),
        (["plot", "run.mcap", "--out", "run.gif"], "unknown kind of picture"),
        (["plot", "run.mcap", "--out", "x.png", "--signals", "Tool.Partner"], "are texts"),
        (["plot", "run.mcap", "--out", "x.png", "--signals", "*"], "can be told apart"),
        (["diff", "run.mcap", "other.mcap"], "other.mcap (Exploding cell): has no signal"),
        (["diff", "run.mcap", "coarse.mcap"], "their steps differ: 0.001 s and 0.002 s"),
        (["simulate", "small.toml", "--record", "run.mcap"], "is there already"),
        (["simulate", "small.toml", "--record", "run.bag"], "ends with .mcap"),
        (["simulate", "small.toml", "--record", "no/run.mcap"], "there is no folder no"),
        (["run", "small.toml", "--record", "run.mcap"], "is there already"),
    ],
)
def test_what_cannot_be_done_is_named(run, twincell, tmp_path, exploding_cell, arguments, reason):
    if "plain.mcap" in arguments:
        twincell("export", run, "--out", "plain.mcap")
    if "other.mcap" in arguments:
        twincell("simulate", exploding_cell, "--until", 0.1, "--record", "other.mcap")
    if "coarse.mcap" in arguments:
        text = (tmp_path / "small.toml").read_text()
        (tmp_path / "coarse.toml").write_text(f"step_s = 0.002\n{text}")
        twincell("simulate", "coarse.toml", "--until", 0.1, "--record", "coarse.mcap")
    before = sorted(tmp_path.iterdir())
    ended = twincell(*arguments)
    assert ended.code == 2
    assert reason in ended.err
    assert sorted(tmp_path.iterdir()) == before
