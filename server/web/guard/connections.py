"""Connections of browsers: what an unfinished one may take, and which goes when there are too many.

    encryption            is agreed on within 5 s
    a request's head      16 kB at most, within 5 s of the connection or of what came before it
    an answer             is taken on within 30 s
    connections           500, of one machine 150: for one more the oldest goes that asks nothing

uvicorn knows none of these: whoever begins 500 requests and ends none would keep everybody out.
"""

import asyncio
import socket
from collections import Counter
from contextlib import suppress
from functools import partial
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from twincell.server.security.origin import origin_of
from twincell.server.web.jobs import end_with

HEAD_S = 5.0
LONGEST_HEAD = 16_384  # bytes
STALLED_S = 30.0  # in which a browser takes nothing of an answer
MOST_CONNECTIONS = 500  # of all browsers together; chosen: eight a page, and some to spare
MOST_OF_ORIGIN = 150  # chosen: two WebSockets for each of 60 pages, and some to spare
OUT_OF_FILES_S = 1.0  # wait for better times


class BoundedHttp(HttpToolsProtocol):
    """HTTP of one connection, with an end for requests that do not end."""

    began_s = 0.0
    _deadline: asyncio.TimerHandle | None = None  # of the head that is waited for
    _stalled: asyncio.TimerHandle | None = None
    _head_bytes = 0

    @property
    def waits_for_head(self) -> bool:
        """Whether nothing is being answered: closing it takes nothing from anybody."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.began_s = self.loop.time()
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        if self.waits_for_head:
            self._expect_head()
            self._head_bytes += len(data)
            if self._head_bytes > LONGEST_HEAD:
                self.transport.abort()
                return
        super().data_received(data)

    def on_headers_complete(self) -> None:
        self._forget_head()
        super().on_headers_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled = self.loop.call_later(STALLED_S, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._forget_stall()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_head()
        self._forget_stall()
        super().connection_lost(exc)

    def _expect_head(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(HEAD_S, self.transport.abort)

    def _forget_head(self) -> None:
        self._head_bytes = 0
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _forget_stall(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None


class BoundedServer(uvicorn.Server):
    """uvicorn that counts connections where they come in, before anything is agreed on."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._beginning: dict[asyncio.Task[None], str] = {}  # encrypting: of whom, oldest first
        self._accepting: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=[])  # it listens at none itself
        (listener,) = sockets or []
        listener.setblocking(False)
        self._accepting = asyncio.create_task(self._accept(listener))
        self._accepting.add_done_callback(end_with)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._accepting is not None:
            self._accepting.cancel()
        for task in list(self._beginning):
            task.cancel()
        await super().shutdown(sockets)

    async def _accept(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, address = await loop.sock_accept(listener)
            except OSError:  # gone again, or there are too many open files
                await asyncio.sleep(OUT_OF_FILES_S)
                continue
            origin = origin_of(str(address[0]), str(connection.getsockname()[0]))
            if self._make_room(origin):
                task = asyncio.create_task(self._begin(connection))
                self._beginning[task] = origin
                task.add_done_callback(partial(self._begun, connection))
            else:
                connection.close()

    async def _begin(self, connection: socket.socket) -> None:
        encryption = self.config.ssl
        wait_s = HEAD_S if encryption else None
        loop = asyncio.get_running_loop()
        with suppress(OSError):  # no encryption was agreed on, or it is gone again
            await loop.connect_accepted_socket(
                self._protocol, connection, ssl=encryption, ssl_handshake_timeout=wait_s
            )

    def _begun(self, connection: socket.socket, task: asyncio.Task[None]) -> None:
        self._beginning.pop(task, None)
        if task.cancelled():
            connection.close()

    def _protocol(self) -> BoundedHttp:
        return BoundedHttp(self.config, self.server_state, self.lifespan.state)

    def _make_room(self, origin: str) -> bool:
        """Whether one more from there may come; the oldest that has not asked yet goes for it."""
        counts = Counter(self._beginning.values())
        for one in self.server_state.connections:
            counts[_origin(one)] += 1
        if counts[origin] >= MOST_OF_ORIGIN:
            return self._end_oldest(origin)
        if counts.total() >= MOST_CONNECTIONS:
            return any(self._end_oldest(whose) for whose, _ in counts.most_common())
        return True

    def _end_oldest(self, origin: str) -> bool:
        """End a connection from there on which nothing is being answered; whether there is one."""
        for task, whose in self._beginning.items():
            if whose == origin:
                del self._beginning[task]
                task.cancel()
                return True
        waiting = [
            one
            for one in self.server_state.connections
            if isinstance(one, BoundedHttp) and one.waits_for_head and _origin(one) == origin
        ]
        if not waiting:
            return False
        oldest = min(waiting, key=lambda one: one.began_s)
        oldest.transport.abort()
        self.server_state.connections.discard(oldest)
        return True


def _origin(connection: Any) -> str:
    if connection.client is None or connection.server is None:
        return ""  # it is gone already
    return origin_of(connection.client[0], connection.server[0])
