"""A disk that fills up during a run: the file that did not fit is named, and nothing stays."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from twincell.server.cli import app
from twincell.server.files.atomic import NotWritable
from twincell.sim.cell import Cell


@contextmanager
def files_no_larger_than(size: int) -> Iterator[None]:
    """Writing more to a file fails, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


# 100 lines of about a kilobyte do not fit, one does; the picture, over 20 kB, never does
@pytest.mark.parametrize(("until", "blamed"), [("0.1", "run.csv"), ("0.001", "run.png")])
def test_file_that_did_not_fit_is_named(small_cell, tmp_path, until, blamed):
    Cell.load(small_cell).warm_up()  # machine code is kept in files, too
    out, plot = tmp_path / "run.csv", tmp_path / "run.png"
    options = ["--until", until, "--out", str(out), "--plot", str(plot)]
    with (
        pytest.raises(NotWritable, match=rf"{blamed}: could not be written: File too large"),
        files_no_larger_than(20_000),
    ):
        app(["simulate", str(small_cell), *options], standalone_mode=False)
    assert [file.name for file in tmp_path.iterdir()] == ["small.toml"]
