"""One address space for all tests of a file, and diagnostics for each of them."""

from collections.abc import AsyncIterator

import pytest_asyncio
from asyncua.server.internal_server import InternalServer

from tests.server.opcua.diagnostic.told import Told
from tests.server.opcua.standard_core import started_core
from twincell.server.opcua.limits import Limits
from twincell.server.opcua.space.capabilities import publish_capabilities


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def core() -> AsyncIterator[InternalServer]:
    async with started_core() as core:
        publish_capabilities(core, Limits(), step_s=0.001)
        yield core


@pytest_asyncio.fixture(loop_scope="session")
async def told(core: InternalServer) -> Told:
    return Told(core)
