"""A PLC that runs the tool change, for each test anew: it starts in a second."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.plc.awl_plc import AwlPlc, running_plc


@pytest.fixture
def plc(tmp_path: Path) -> Iterator[AwlPlc]:
    with running_plc(tmp_path) as running:
        yield running
