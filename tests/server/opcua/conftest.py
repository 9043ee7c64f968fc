"""A served cell that all tests of a worker share: a server takes seconds to start."""

from collections.abc import AsyncIterator

import pytest_asyncio
from asyncua import Client

from tests.server.opcua.in_process import InProcess


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
