"""Cells for all tests of the kit: each is started once, and is at its start before each of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.conftest import SMALL_CELL
from twincell.server.kit.cell_pool import CellPool, Wanted, cell_path
from twincell.server.kit.cell_under_test import CellUnderTest
from twincell.server.kit.running import Time


@pytest.fixture(scope="package")
def pool() -> Iterator[CellPool]:
    pool = CellPool()
    yield pool
    pool.end()


@pytest.fixture
def robots(pool: CellPool) -> CellUnderTest:
    """The shipped cell with two robots."""
    return pool.cell((cell_path("tool_change_multi", Path()), Time.LOCKSTEP))


@pytest.fixture(scope="package")
def shared_small(tmp_path_factory: pytest.TempPathFactory) -> Wanted:
    """A small cell that no test writes to."""
    path = tmp_path_factory.mktemp("shared") / "small.toml"
    path.write_text(SMALL_CELL, encoding="utf-8")
    return str(path), Time.LOCKSTEP


@pytest.fixture
def small(pool: CellPool, shared_small: Wanted) -> CellUnderTest:
    """It, at its start."""
    return pool.cell(shared_small)
