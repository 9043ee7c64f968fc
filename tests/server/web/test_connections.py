"""Unfinished requests end, and take no place from those who ask for something."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
import uvicorn

from twincell.server.web.guard import connections
from twincell.server.web.guard.connections import BoundedServer

HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
ASKED = HEAD + b"Connection: close\r\n\r\n"
MANY = 6  # connections that an address may have, in these tests
PATIENCE_S = 60.0


async def greet(scope, receive, send):
    """An answer of a line; at /long one that is longer than any buffer on the way."""
    length = 2**24 if scope["path"] == "/long" else 5
    headers = [(b"content-length", str(length).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"h" * length})


@asynccontextmanager
async def serving() -> AsyncIterator[int]:
    """The port of a server."""
    config = uvicorn.Config(
        greet, lifespan="off", log_config=None, access_log=False, timeout_graceful_shutdown=0
    )
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        server = BoundedServer(config)
        task = asyncio.create_task(server.serve(sockets=[listener]))
        while not server.started:
            await asyncio.sleep(0.001)
        yield port
        server.should_exit = True
        await task


class Opened:
    """A connection that has sent something."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def rest(self) -> bytes:
        """All that comes until it ends."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await self.reader.read()
        except ConnectionError:
            return b""
        finally:
            self.writer.close()
            with suppress(ConnectionError):
                await self.writer.wait_closed()


async def opened(port: int, sent: bytes) -> Opened:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    return Opened(reader, writer)


@pytest.mark.parametrize("sent", [b"", HEAD, b"\r\n", HEAD + b"\r\n" + HEAD])
async def test_a_head_that_does_not_end_is_not_waited_for(sent, monkeypatch):
    monkeypatch.setattr(connections, "HEAD_S", 0.05)
    async with serving() as port:
        unfinished = await opened(port, sent)
        assert (await unfinished.rest()).count(b"200 OK") == sent.count(b"\r\n\r\n")
        assert b"200 OK" in await (await opened(port, ASKED)).rest()


async def test_a_head_without_end_is_cut_off(monkeypatch):
    async with serving() as port:
        long = await opened(port, HEAD)
        with suppress(ConnectionError):
            for k in range(1000):
                long.writer.write(f"X-{k}: {'a' * 100}\r\n".encode())
                await long.writer.drain()
        assert await long.rest() == b""


async def test_an_answer_that_nobody_takes_ends(monkeypatch):
    monkeypatch.setattr(connections, "STALLED_S", 0.05)
    async with serving() as port:
        deaf = await opened(port, ASKED.replace(b"/ ", b"/long "))
        await deaf.reader.readexactly(10)  # it has begun
        deaf.writer.transport.pause_reading()
        await asyncio.sleep(0.5)  # for longer than is waited for, whatever the machine does
        deaf.writer.transport.resume_reading()
        assert len(await deaf.rest()) < 2**24


async def test_unfinished_requests_of_one_address_keep_nobody_out(monkeypatch):
    monkeypatch.setattr(connections, "MOST_OF_ORIGIN", MANY)
    monkeypatch.setattr(connections, "HEAD_S", PATIENCE_S)
    async with serving() as port:
        held = [await opened(port, HEAD) for _ in range(3 * MANY)]
        assert b"200 OK" in await (await opened(port, ASKED)).rest()
        ended = [await one.rest() for one in held[: 2 * MANY]]  # the oldest
        assert set(ended) == {b""}
        newest = held[-1]
        newest.writer.write(b"Connection: close\r\n\r\n")
        assert b"200 OK" in await newest.rest()
        for one in held:
            one.writer.close()


async def test_when_there_is_no_room_at_all_the_address_with_most_gives_way(monkeypatch):
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", MANY)
    monkeypatch.setattr(connections, "origin_of", lambda client, own: client)
    async with serving() as port:
        alone = await opened(port, HEAD)
        held = []
        for _ in range(2 * MANY):
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", port, local_addr=("127.0.0.2", 0)
            )
            held.append(Opened(reader, writer))
        assert await held[0].rest() == b""
        alone.writer.write(b"Connection: close\r\n\r\n")
        assert b"200 OK" in await alone.rest()
        for one in held:
            one.writer.close()
