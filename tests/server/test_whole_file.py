"""A file appears whole or not at all."""

import os
import stat

import pytest

from twincell.server.files.atomic import NotWritable, blamed, whole_file


def test_file_gets_its_name_when_it_is_complete(tmp_path):
    with whole_file(tmp_path / "run.csv") as path:
        path.write_text("all of it")
        assert not (tmp_path / "run.csv").exists()
    assert [file.name for file in tmp_path.iterdir()] == ["run.csv"]
    assert (tmp_path / "run.csv").read_text() == "all of it"


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt, SystemExit])
def test_failure_leaves_the_older_file_and_nothing_else(tmp_path, failure):
    (tmp_path / "run.csv").write_text("old")
    with pytest.raises(failure), whole_file(tmp_path / "run.csv") as path:
        path.write_text("half")
        raise failure
    assert [file.name for file in tmp_path.iterdir()] == ["run.csv"]
    assert (tmp_path / "run.csv").read_text() == "old"


def test_full_disk_is_told_in_one_sentence(tmp_path):
    with (
        pytest.raises(NotWritable, match=r"run.csv: could not be written: No space left"),
        whole_file(tmp_path / "run.csv"),
        blamed(tmp_path / "run.csv"),
        open("/dev/full", "w") as full,
    ):
        full.write("x")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("failure", [BrokenPipeError, FileNotFoundError])
def test_error_about_something_else_is_not_blamed_on_the_file(tmp_path, failure):
    with pytest.raises(failure), whole_file(tmp_path / "run.csv"):
        raise failure
    assert list(tmp_path.iterdir()) == []


def test_file_that_cannot_take_its_name_is_blamed(tmp_path):
    with (
        pytest.raises(NotWritable, match=r"run.csv: could not be written: Is a directory"),
        whole_file(tmp_path / "run.csv"),
    ):
        (tmp_path / "run.csv").mkdir()  # by somebody else, meanwhile
    assert [file.name for file in tmp_path.iterdir()] == ["run.csv"]


def test_file_has_the_permissions_of_a_new_file(tmp_path):
    (tmp_path / "ordinary").touch()
    with whole_file(tmp_path / "run.csv"):
        pass
    wanted = stat.S_IMODE((tmp_path / "ordinary").stat().st_mode)
    assert stat.S_IMODE((tmp_path / "run.csv").stat().st_mode) == wanted


def test_link_stays_a_link(tmp_path):
    (tmp_path / "kept").mkdir()
    os.symlink("kept/run.csv", tmp_path / "run.csv")
    with whole_file(tmp_path / "run.csv") as path:
        path.write_text("new")
    assert (tmp_path / "run.csv").is_symlink()
    assert (tmp_path / "kept" / "run.csv").read_text() == "new"
