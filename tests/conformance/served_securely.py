"""A served cell that all tests of a worker share: a server takes seconds to start."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.conformance.secured_cell import SecuredCell


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def served_securely(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[SecuredCell]:
    async with SecuredCell(tmp_path_factory.mktemp("secured")) as cell:
        yield cell


@pytest_asyncio.fixture(loop_scope="session")
async def cell(served_securely: SecuredCell) -> SecuredCell:
    """The cell of a single tool in its first tick, where users have roles and one is trusted."""
    await served_securely.begin_anew()
    return served_securely
