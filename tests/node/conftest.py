"""One client process and one served cell for all tests here: both take seconds to start."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.secured_cell import APPLICATION_URI, Owner, SecuredCell
from tests.conformance.served_securely import cell, served_securely
from tests.node.player import Player, player
from tests.server.opcua.made_security import PASSWORD
from tests.server.running_cell import running
from twincell.server.security.folder import default_folder
from twincell.server.security.roles import Role
from twincell.server.security.users import Users
from twincell.sim.cell import Cell

__all__ = ["cell", "served_securely"]

USER = "node"
CELLS = Path(__file__).parents[2] / "config" / "cells"


@pytest.fixture(scope="package")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Player]:
    """The client, and a user of the cells here that it logs in as."""
    Users(default_folder().users).add(USER, Role.ENGINEER, PASSWORD)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("TWINCELL_USER", USER)
        environment.setenv("TWINCELL_PASSWORD", PASSWORD)
        with player(tmp_path_factory.mktemp("node")) as playing:
            yield playing


@pytest.fixture(scope="package")
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


@pytest.fixture(scope="package")
def robots(node: Player, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What came of the story of the robots, in the cell that has some."""
    folder = tmp_path_factory.mktemp("robots")
    start = ("tool_change_multi_ideal", "--port", 0, "--no-demo", "--paused")
    with running(folder, *start) as cell:
        return node.play("robots", cell.url)


Tell = Callable[..., Awaitable[Any]]


@pytest.fixture
def tell(node: Player, cell: SecuredCell) -> Tell:
    """Plays a story against that cell, as the trusted application."""

    def files(owner: Owner) -> dict[str, str]:
        return {"certificateFile": str(owner.certificate), "privateKeyFile": str(owner.key)}

    async def told(story: str, *, application: Owner | None = None, **wanted: Any) -> Any:
        return await asyncio.to_thread(
            node.play,
            story,
            cell.server.endpoint,
            application={
                **files(application or cell.application),
                "applicationUri": APPLICATION_URI,
            },
            user=files(cell.carla),
            password=PASSWORD,
            **wanted,
        )

    return told
