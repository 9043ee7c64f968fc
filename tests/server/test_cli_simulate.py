"""twincell simulate: the story, the files, the speed, and how a run ends early."""

import csv
import json
import re
import signal
import subprocess
import time

import pytest

from tests.server.twincell_command import command, environment

SPEED = re.compile(r"1\.2 s simulated in \S+ s: \S+ times real time")


def test_run_tells_who_held_the_tool_and_ends_with_the_speed(twincell, small_cell):
    ended = twincell("simulate", small_cell, "--until", "1.2")
    assert ended.code == 0
    story = [line for line in ended.out.splitlines() if " by " in line or "handed" in line]
    assert [re.split(r"\s{2,}", line.removeprefix("Tool").strip())[:2] for line in story] == [
        ["0.000", "caught by Holder"],
        ["0.100", "handed over from Holder to Flange"],
        ["1.000", "released by Flange"],
    ]
    # 1 kg is lifted 0.5 m in 0.6 s: the flange carries more than the weight
    (flange,) = (line.split() for line in ended.out.splitlines() if line.startswith("Flange"))
    assert float(flange[1]) > 9.81
    assert SPEED.fullmatch(ended.out.splitlines()[-1])


def test_csv_has_the_time_and_every_signal_in_every_tick(twincell, small_cell, tmp_path):
    ended = twincell("simulate", small_cell, "--until", "1.2", "--out", "run.csv")
    assert ended.code == 0
    with (tmp_path / "run.csv").open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    names = [signal["name"] for signal in json.loads(twincell("signals", small_cell, "--json").out)]
    assert header == ["time", *names]
    assert len(rows) == 1200
    assert [row[0] for row in rows[:10]] == [repr(tick / 1000) for tick in range(10)]

    column = header.index("Tool.Partner")
    assert [rows[tick][column] for tick in (0, 99, 101, 999, 1001)] == [
        *("Holder", "Holder", "Flange", "Flange"),
        "",
    ]
    closed = [row[header.index("Flange.Closed")] for row in rows]
    assert closed == ["0"] * 100 + ["1"] * 900 + ["0"] * 200
    # at rest in its holder it weighs what it weighs
    assert float(rows[50][header.index("Tool.Force.Z")]) == pytest.approx(9.81, abs=1e-9)


def test_two_runs_write_the_same_bytes(twincell, small_cell, tmp_path):
    for name in ("a", "b"):
        options = ("--until", "0.5", "--out", f"{name}.csv", "--plot", f"{name}.svg")
        assert twincell("simulate", small_cell, *options).code == 0
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_json_is_one_object_and_nothing_else(twincell, small_cell):
    ended = twincell("simulate", small_cell, "--until", "1.2", "--json")
    assert ended.code == 0
    result = json.loads(ended.out)
    assert list(result) == ["cell", "simulated_s", "wall_s", "real_time_factor", "ticks"]
    assert (result["cell"], result["simulated_s"], result["ticks"]) == ("small", 1.2, 1200)
    assert result["real_time_factor"] == pytest.approx(1.2 / result["wall_s"])


@pytest.mark.parametrize(
    ("suffix", "begins"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_plot_is_a_picture_of_the_kind_its_name_says(
    twincell, small_cell, tmp_path, suffix, begins
):
    ended = twincell("simulate", small_cell, "--until", "1.2", "--plot", f"run.{suffix}")
    assert ended.code == 0
    assert f"written: run.{suffix}" in ended.out
    assert (tmp_path / f"run.{suffix}").read_bytes().startswith(begins)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('name = "Empty"\n[mover.Robot]', "0.1 s simulated"),
        (
            'name = "Alone"\n[body.Ball]\nmass_kg = 1\ninertia_kg_m2 = [1, 1, 1]\n'
            '[constrained_object.Tool]\non = "Ball"\nradius_m = 0.1\neta = 50\n',
            "nothing was caught",
        ),
    ],
)
def test_cell_in_which_nothing_happens_is_simulated_and_drawn(twincell, tmp_path, text, words):
    (tmp_path / "dull.toml").write_text(text)
    ended = twincell("simulate", "dull.toml", "--until", "0.1", "--plot", "run.png")
    assert ended.code == 0
    assert words in ended.out
    assert (tmp_path / "run.png").exists()


def test_older_file_is_replaced(twincell, small_cell, tmp_path):
    (tmp_path / "run.csv").write_text("old")
    assert twincell("simulate", small_cell, "--until", "0.01", "--out", "run.csv").code == 0
    assert (tmp_path / "run.csv").read_text().startswith("time,")


def test_fault_is_named_and_what_was_simulated_is_kept(twincell, exploding_cell, tmp_path):
    ended = twincell("simulate", exploding_cell, "--out", "run.csv", "--plot", "run.png")
    assert ended.code == 3
    (line,) = (line for line in ended.err.splitlines() if line.startswith("fault:"))
    found = re.fullmatch(r"fault: Bullet: .* at tick (\d+) \(t = \S+ s\)", line)
    assert found
    n_rows = len((tmp_path / "run.csv").read_text().splitlines()) - 1
    assert 0 < n_rows <= int(found[1]) + 1
    assert (tmp_path / "run.png").exists()


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_run_leaves_nothing_behind(small_cell, tmp_path, sent, code):
    (tmp_path / "run.csv").write_text("old")
    arguments = command("simulate", small_cell, "--until", "1e5", "--out", "run.csv")
    with subprocess.Popen(
        arguments,
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        try:
            deadline = time.monotonic() + 150  # it may have to compile first
            while not any(path.stat().st_size for path in tmp_path.glob(".run.csv.*")):
                assert running.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.05)
            running.send_signal(sent)
            out, err = running.communicate(timeout=30)
        finally:
            running.kill()
    assert (running.returncode, out) == (code, "")
    assert "Traceback" not in err
    assert {path.name for path in tmp_path.iterdir()} == {"small.toml", "run.csv"}
    assert (tmp_path / "run.csv").read_text() == "old"
