"""A served cell, and an engineer as its client."""

import pytest_asyncio
from asyncua import Client

from tests.conformance.secured_cell import SecuredCell
from tests.conformance.served_securely import cell, served_securely

__all__ = ["cell", "served_securely"]


@pytest_asyncio.fixture(loop_scope="session")
async def client(cell: SecuredCell) -> Client:
    """An engineer, on a channel without security."""
    return await cell.client()
