"""Admission: how many may come in, from where, and who has to leave to make room."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio
from asyncua import Client

from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import change_limits, comes_true
from twincell.server.opcua.limits import Limits
from twincell.server.opcua.wire.admission import Admission
from twincell.server.security.origin import THIS_MACHINE, origin_of

pytestmark = pytest.mark.asyncio(loop_scope="session")

PATIENCE_S = 20.0
Caller = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def callers(cell: InProcess) -> AsyncIterator["Callers"]:
    """Clients that connect and say nothing."""
    them = Callers(cell)
    try:
        yield them
    finally:
        await them.leave()


class Callers:
    """Connections, in the order in which they came."""

    def __init__(self, cell: InProcess) -> None:
        self._cell = cell
        self.all: list[Caller] = []

    async def come(self, count: int = 1, address: str = "127.0.0.1") -> None:
        for _ in range(count):
            port = self._cell.server.port
            self.all.append(
                await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
            )
            await asyncio.sleep(0.02)  # so that the server takes them in this order

    async def is_out(self, which: int) -> bool:
        """Whether the server has ended a connection."""
        try:
            return await asyncio.wait_for(self.all[which][0].read(1), 0.1) == b""
        except TimeoutError:
            return False
        except ConnectionError:
            return True

    async def outside(self) -> list[int]:
        return [n for n in range(len(self.all)) if await self.is_out(n)]

    async def leave(self) -> None:
        for _, writer in self.all:
            writer.close()
            await asyncio.gather(writer.wait_closed(), return_exceptions=True)


@pytest_asyncio.fixture(autouse=True, loop_scope="session")
async def nobody_left(cell: InProcess) -> AsyncIterator[None]:
    """What a test lets in is out again before the next one."""
    yield
    await cell.disconnect()
    await comes_true(lambda: not cell.server.admission.connections)


async def test_who_comes_in_is_counted_and_who_leaves_is_forgotten(cell):
    admission = cell.server.admission
    async with callers(cell) as them:
        await them.come(3)
        await comes_true(lambda: len(admission.connections) == 3)
        assert admission._origins == {THIS_MACHINE: 3}
        assert len(admission._strangers) == 3
    await comes_true(lambda: not admission.connections)
    assert not admission._origins
    assert not admission._strangers


async def test_of_too_many_strangers_the_oldest_has_to_go(cell, monkeypatch):
    change_limits(cell, monkeypatch, unauthenticated_connections=3)
    async with callers(cell) as them:
        await them.come(5)
        assert await them.outside() == [0, 1]


async def test_a_flood_of_strangers_keeps_nobody_out_who_means_it(cell, monkeypatch):
    change_limits(cell, monkeypatch, unauthenticated_connections=3)
    async with callers(cell) as them:
        await them.come(3)
        client = await cell.client()
        await them.come(6)
        await client.get_namespace_array()  # whoever has logged in is no stranger
        await cell.client()


async def test_where_all_have_logged_in_nobody_has_to_go_and_nobody_comes_in(cell, monkeypatch):
    change_limits(cell, monkeypatch, connections=2)
    clients = [await cell.client(), await cell.client()]
    async with callers(cell) as them:
        await them.come()
        assert await them.outside() == [0]
    for client in clients:
        await client.get_namespace_array()


async def test_where_it_is_full_a_stranger_makes_room(cell, monkeypatch):
    change_limits(cell, monkeypatch, connections=2)
    await cell.client()
    async with callers(cell) as them:
        await them.come(3)
        assert await them.outside() == [0, 1]


async def test_one_machine_does_not_take_all_the_room(cell, monkeypatch):
    change_limits(cell, monkeypatch, connections_per_address=2)
    monkeypatch.setattr(cell.server.admission, "origin_of", lambda client, own: client)
    async with callers(cell) as them:
        await them.come(3, "127.0.0.1")
        await them.come(3, "127.0.0.2")
        assert await them.outside() == [0, 3]


async def test_all_addresses_of_this_machine_are_one(cell, monkeypatch):
    change_limits(cell, monkeypatch, connections_per_address=2)
    async with callers(cell) as them:
        await them.come(2, "127.0.0.1")
        await them.come(2, "127.0.0.2")
        assert await them.outside() == [0, 1]


async def test_where_all_of_a_machine_have_logged_in_no_more_come_in_from_it(cell, monkeypatch):
    change_limits(cell, monkeypatch, connections_per_address=2)
    for client in [await cell.client(), await cell.client()]:
        await client.get_namespace_array()
    async with callers(cell) as them:
        await them.come(2)
        assert await them.outside() == [0, 1]
        assert cell.server.admission._origins == {THIS_MACHINE: 2}


async def test_who_is_about_to_log_in_makes_room_for_nobody(cell, monkeypatch):
    change_limits(cell, monkeypatch, unauthenticated_connections=2)
    async with callers(cell) as them:
        await them.come()
        (first,) = cell.server.admission.connections
        first.logins = 1
        await them.come(3)
        assert await them.outside() == [1, 2]
        first.login_failed()  # and tries again
        await them.come(1)
        assert await them.outside() == [0, 1, 2]


async def test_whoever_opens_a_channel_and_no_session_is_shown_out(cell, monkeypatch):
    change_limits(cell, monkeypatch, seconds_to_activate=0.3)
    client = Client(cell.server.endpoint, timeout=PATIENCE_S)
    await client.connect_sessionless()
    await comes_true(lambda: not cell.server.admission.connections)
    client.disconnect_socket()


async def test_whoever_has_logged_in_stays(cell, monkeypatch):
    change_limits(cell, monkeypatch, seconds_to_open=1.5, seconds_to_activate=1.5)
    client = await cell.client()
    await asyncio.sleep(1.7)
    await client.get_namespace_array()


async def test_channels_have_numbers_that_differ_and_are_never_zero():
    admission = Admission(Limits(), origin_of)
    admission._channel = 2**32 - 3
    numbers = [admission.next_channel() for _ in range(5)]
    assert numbers == [2**32 - 2, 2**32 - 1, 1, 2, 3]
    assert (
        Admission(Limits(), origin_of).next_channel()
        != Admission(Limits(), origin_of).next_channel()
    )
