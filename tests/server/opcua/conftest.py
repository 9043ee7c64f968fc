"""Served cells that all tests of a worker share: a server takes seconds to start."""

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from asyncua import Client

from tests.server.opcua.channel_ends import Ends
from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import empty
from tests.server.opcua.narrow_limits import NARROW
from tests.server.opcua.visitor import Visitor
from tests.server.security.made_certificates import Made
from tests.sim.devices.changer_cell import bench
from twincell.server.security.folder import SecurityFolder
from twincell.server.security.roles import Role


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def served() -> AsyncIterator[InProcess]:
    async with InProcess("tool_change_multi") as cell:
        yield cell


@pytest_asyncio.fixture(loop_scope="session")
async def cell(served: InProcess) -> InProcess:
    """The cell of the tool change in its first tick, as if just started."""
    await served.begin_anew()
    return served


@pytest_asyncio.fixture(loop_scope="session")
async def client(cell: InProcess) -> Client:
    return await cell.client()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def guarded(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[InProcess]:
    folder = SecurityFolder(tmp_path_factory.mktemp("guarded"))
    async with InProcess("tool_change_single", folder=folder) as cell:
        yield cell


@pytest_asyncio.fixture(loop_scope="session")
async def house(guarded: InProcess) -> AsyncIterator[InProcess]:
    """A cell with a security folder, and nobody in it."""
    yield guarded
    await empty(guarded)


@pytest_asyncio.fixture(loop_scope="session")
async def visitor(house: InProcess) -> AsyncIterator[Visitor]:
    one = await Visitor(house).created()
    yield one
    one.leave()


@pytest.fixture
def known(house: InProcess) -> Iterator[Callable[..., Made]]:
    """Puts a certificate into the file of users."""
    added = []

    def add(user: Made, name: str = "bert", role: Role = Role.OPERATOR) -> Made:
        house.security.users.add(name, role, certificate=user.der)
        added.append(name)
        return user

    yield add
    for name in added:
        house.security.users.remove(name)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def changer(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[InProcess]:
    """A tool changer, whose levers are numbers as well."""
    file: Path = tmp_path_factory.mktemp("changer") / "changer.toml"
    file.write_text(bench(), encoding="utf-8")
    async with InProcess(file) as cell:
        yield cell


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def narrowly_served() -> AsyncIterator[InProcess]:
    cell = InProcess("tool_change_single")
    cell.server.limits = NARROW
    async with cell:
        yield cell


@pytest_asyncio.fixture(loop_scope="session")
async def narrow(narrowly_served: InProcess) -> AsyncIterator[InProcess]:
    """A cell whose limits are easily reached, and nobody in it."""
    yield narrowly_served
    await empty(narrowly_served)


@pytest.fixture
def ends(tmp_path: Path) -> Ends:
    """A client that is trusted, before it opens a channel."""
    both = Ends(tmp_path)
    both.trust()
    both.secure()
    return both


@pytest.fixture
def opened(ends: Ends) -> Ends:
    ends.open()
    return ends
