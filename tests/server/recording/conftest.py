"""Recorded cells: with the rows in the file as soon as the recorder looks."""

import resource
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.server.recording.recorded_cell import RecordedCell
from twincell.server.recording import recorder
from twincell.sim.cell import Cell


@pytest.fixture
def recorded(small_cell: Path, tmp_path: Path, monkeypatch) -> Callable[..., RecordedCell]:
    """Makes a small cell with a recorder that waits for nothing."""
    monkeypatch.setattr(recorder, "LONGEST_WAIT_S", 0.0)
    folder = tmp_path / "recordings"
    folder.mkdir()

    def make(cell_file: Path = small_cell, **options) -> RecordedCell:
        return RecordedCell(cell_file, folder, **options)

    return make


@pytest.fixture
def small_disk(small_cell: Path) -> Iterator[None]:
    """Files cannot grow beyond 100 kB."""
    Cell.load(small_cell).warm_up()  # machine code is kept in files, too
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
