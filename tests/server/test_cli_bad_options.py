"""Options that cannot work are refused before anything is simulated, and leave nothing behind."""

import os
from pathlib import Path

import pytest


def files_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("until", ["0", "-1", "nan", "inf", "1e-9", "1e300"])
def test_impossible_time_is_refused(twincell, small_cell, tmp_path, until):
    ended = twincell("simulate", small_cell, f"--until={until}", "--out", "run.csv")
    assert (ended.code, ended.out) == (2, "")
    assert "--until" in ended.err
    assert files_in(tmp_path) == {"small.toml"}


def test_time_that_is_no_number_is_refused(twincell, small_cell):
    ended = twincell("simulate", small_cell, "--until", "soon")
    assert (ended.code, ended.out) == (2, "")
    assert "--until" in ended.err


# also root cannot write to these: no file permissions are involved
@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("missing/run.png", "there is no folder missing"),
        ("small.toml/run.png", "small.toml is not a folder"),
        ("folder.png", "is a folder, not a file"),
        ("/proc/run.png", "cannot write here"),
        ("x" * 300 + ".png", "File name too long"),
    ],
)
@pytest.mark.parametrize("option", ["--out", "--plot"])
def test_path_that_cannot_be_written_is_refused(
    twincell, small_cell, tmp_path, option, path, words
):
    (tmp_path / "folder.png").mkdir()
    ended = twincell("simulate", small_cell, "--until", "0.1", option, path)
    assert (ended.code, ended.out) == (2, "")
    assert path in ended.err
    assert words in ended.err
    assert ended.err.count("\n") == 1
    assert files_in(tmp_path) == {"small.toml", "folder.png"}


def test_device_is_not_replaced_by_a_file(twincell, small_cell):
    ended = twincell("simulate", small_cell, "--until", "0.1", "--out", "/dev/null")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "/dev/null: is not an ordinary file\n"
    assert Path("/dev/null").is_char_device()


def test_read_only_folder_is_refused(twincell, small_cell, tmp_path):
    # permissions do not bind root, but nobody makes files in /proc
    closed = Path("/proc") if os.geteuid() == 0 else tmp_path / "closed"
    if not closed.exists():
        closed.mkdir(mode=0o500)
    ended = twincell("simulate", small_cell, "--out", closed / "run.csv")
    assert (ended.code, ended.out) == (2, "")
    assert f"{closed}/run.csv: cannot write here: " in ended.err
    assert not (closed / "run.csv").exists()


def test_unknown_kind_of_picture_is_refused(twincell, small_cell, tmp_path):
    ended = twincell("simulate", small_cell, "--plot", "run.bmp")
    assert (ended.code, ended.out) == (2, "")
    assert ".png" in ended.err
    assert files_in(tmp_path) == {"small.toml"}


def test_one_name_for_two_files_is_refused(twincell, small_cell):
    ended = twincell("simulate", small_cell, "--plot", "run.png", "--out", "./run.png")
    assert (ended.code, ended.out) == (2, "")
    assert "both name" in ended.err


def test_unknown_command_is_refused(twincell):
    ended = twincell("simulte", "static_object")
    assert (ended.code, ended.out) == (2, "")
    assert "simulte" in ended.err


@pytest.mark.parametrize("option", ["--out", "--plot"])
def test_the_cell_file_itself_is_never_overwritten(twincell, small_cell, tmp_path, option):
    (tmp_path / "link.png").symlink_to("small.toml")
    before = (tmp_path / "small.toml").read_bytes()
    name = "link.png" if option == "--plot" else "small.toml"
    ended = twincell("simulate", small_cell, "--until", "0.1", option, name)
    assert (ended.code, ended.out) == (2, "")
    assert "is the cell file itself" in ended.err
    assert (tmp_path / "small.toml").read_bytes() == before


def test_an_eta_too_large_for_true_forces_is_told(twincell, small_cell, tmp_path):
    text = (tmp_path / "small.toml").read_text(encoding="utf-8")
    assert "eta = 50" in text
    (tmp_path / "small.toml").write_text(text.replace("eta = 50", "eta = 2000"), encoding="utf-8")
    ended = twincell("check", small_cell)
    assert ended.code == 0
    assert "forces on a moving partner lose accuracy above 500" in ended.err
