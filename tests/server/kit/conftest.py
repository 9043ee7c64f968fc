"""One cell in lock step for all tests of the kit, put back to its start before each of them."""

from collections.abc import Iterator

import pytest

from server.kit.cell_under_test import CellUnderTest
from server.kit.running import RunningCell, Time


@pytest.fixture(scope="session")
def two_robots() -> Iterator[CellUnderTest]:
    running = RunningCell("tool_change_multi", Time.LOCKSTEP)
    try:
        running.wait_until_ready()
        cell = CellUnderTest(running.url, Time.LOCKSTEP)
        try:
            yield cell
        finally:
            cell.close()
    finally:
        running.end()


@pytest.fixture
def robots(two_robots: CellUnderTest) -> CellUnderTest:
    two_robots.reset()
    return two_robots
