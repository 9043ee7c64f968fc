"""One cell in lock step for all tests of the kit, put back to its start before each of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.kit.cell_pool import CellPool, cell_path
from server.kit.cell_under_test import CellUnderTest
from server.kit.running import Time


@pytest.fixture(scope="session")
def two_robots() -> Iterator[CellUnderTest]:
    pool = CellPool()
    try:
        yield pool.cell((cell_path("tool_change_multi", Path()), Time.LOCKSTEP))
    finally:
        pool.end()


@pytest.fixture
def robots(two_robots: CellUnderTest) -> CellUnderTest:
    two_robots.reset()
    return two_robots
