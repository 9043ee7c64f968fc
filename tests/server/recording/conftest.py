"""Recorded cells: with the rows in the file as soon as the recorder looks."""

from collections.abc import Callable
from pathlib import Path

import pytest

from server.recording import recorder
from tests.server.recording.recorded_cell import RecordedCell


@pytest.fixture
def recorded(small_cell: Path, tmp_path: Path, monkeypatch) -> Callable[..., RecordedCell]:
    """Makes a small cell with a recorder that waits for nothing."""
    monkeypatch.setattr(recorder, "LONGEST_WAIT_S", 0.0)
    folder = tmp_path / "recordings"
    folder.mkdir()

    def make(cell_file: Path = small_cell, **options) -> RecordedCell:
        return RecordedCell(cell_file, folder, **options)

    return make
