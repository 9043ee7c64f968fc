"""One client process and one served cell for all tests here: both take seconds to start."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sim.cell import Cell
from tests.node.player import Player, player
from tests.server.running_cell import running

CELLS = Path(__file__).parents[2] / "config" / "cells"


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Player]:
    with player(tmp_path_factory.mktemp("node")) as playing:
        yield playing


@pytest.fixture(scope="session")
def play(node: Player, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Any]]:
    """Plays a story, once, against a cell that stands still at its start."""
    name = "tool_change_single"
    signals = [signal.name for signal in Cell.load(CELLS / f"{name}.toml").signals]
    folder = tmp_path_factory.mktemp("cell")
    with running(folder, name, "--port", 0, "--no-demo", "--paused") as cell:

        def tell(story: str) -> Any:
            try:
                return node.play(story, cell.url, names=signals)
            except AssertionError as failure:
                failure.add_note(f"the server said: {cell.notes}")
                raise

        yield tell


@pytest.fixture(scope="session")
def robots(node: Player, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What came of the story of the robots, in the cell that has some."""
    folder = tmp_path_factory.mktemp("robots")
    start = ("tool_change_multi_ideal", "--port", 0, "--no-demo", "--paused")
    with running(folder, *start) as cell:
        return node.play("robots", cell.url)
