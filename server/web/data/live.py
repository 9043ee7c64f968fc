"""Sends what a running cell does to all browsers at once, over WebSockets.

Two kinds of messages, little endian, made once for everybody:

    u32 kind   u32 count   f64 tick   f64 time [s]          24 bytes
    FRAME      f32 a slot of the scene                      30 times a second, for the 3-D view
    ROW        f64 a signal of the cell                     5 times a second, for numbers

A browser that is slow gets the newest of each kind, not all of them. When the cell stands still
nothing is sent.
"""

import asyncio
import struct
from collections.abc import Callable

import numpy as np
from starlette.websockets import WebSocket, WebSocketDisconnect

from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.ring import Ints

FRAME, ROW = 1, 2
HEADER = struct.Struct("<IIdd")
FRAMES_A_SECOND = 30
FRAMES_A_ROW = 6  # so rows come 5 times a second
MOST_LISTENERS = 100  # chosen: more than there can be pages
CHECK_S = 1.0  # between two looks whether somebody may still look


class Live:
    """The newest messages, and who waits for them."""

    def __init__(self, link: Link, columns: list[int]) -> None:
        self._link = link
        self._columns: Ints = np.array(columns, dtype=np.int64)
        self._messages: dict[int, bytes] = {}  # the newest of each kind
        self._number = {FRAME: 0, ROW: 0}
        self._written = 0
        self._news = asyncio.Condition()
        self._listeners = 0

    async def run(self) -> None:
        """Look at the cell for ever."""
        loop = asyncio.get_running_loop()
        due_s, turn = loop.time(), 0
        while True:
            due_s = max(due_s + 1.0 / FRAMES_A_SECOND, loop.time())
            await asyncio.sleep(due_s - loop.time())
            if self._listeners and self._look(turn % FRAMES_A_ROW == 0):
                async with self._news:
                    self._news.notify_all()
            turn += 1

    def _look(self, with_row: bool) -> bool:
        """Make new messages of the newest row; whether there are any."""
        ring = self._link.ring
        written = ring.written
        is_new = written != self._written
        if not written or not (is_new or with_row):
            return False
        found = ring.newest()
        if found is None:
            return False
        row = found.values[0]
        tick, time_s = row[ring.tick_column], row[ring.time_column]
        if is_new:
            packed = row[self._columns].astype("<f4")
            self._make(FRAME, tick, time_s, len(packed), packed.tobytes())
        if with_row:
            signals = row[: ring.n_signal]
            self._make(ROW, tick, time_s, len(signals), signals.tobytes())
        self._written = written
        return True

    def _make(self, kind: int, tick: float, time_s: float, count: int, values: bytes) -> None:
        message = HEADER.pack(kind, count, tick, time_s) + values
        if message != self._messages.get(kind):
            self._messages[kind] = message
            self._number[kind] += 1

    async def serve(self, socket: WebSocket, may_look: Callable[[], bool]) -> None:
        """Send to one browser until it is gone, or may not look any more."""
        if self._listeners >= MOST_LISTENERS:
            await socket.close(1013)  # try again later
            return
        await socket.accept()
        self._listeners += 1
        leaving = asyncio.create_task(_until_gone(socket))
        sending = asyncio.create_task(self._send(socket, may_look))
        try:
            await asyncio.wait((leaving, sending), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._listeners -= 1
            for task in (leaving, sending):
                task.cancel()
            await asyncio.gather(leaving, sending, return_exceptions=True)

    async def _send(self, socket: WebSocket, may_look: Callable[[], bool]) -> None:
        sent = {FRAME: 0, ROW: 0}
        loop = asyncio.get_running_loop()
        checked_s = loop.time()
        while True:
            if loop.time() - checked_s > CHECK_S:
                checked_s = loop.time()
                if not may_look():
                    await socket.close(1008)
                    return
            for kind in (FRAME, ROW):
                if sent[kind] != self._number[kind]:
                    sent[kind] = self._number[kind]
                    await socket.send_bytes(self._messages[kind])
            if sent == self._number:
                async with self._news:
                    try:
                        async with asyncio.timeout(CHECK_S):
                            await self._news.wait()
                    except TimeoutError:
                        pass


async def _until_gone(socket: WebSocket) -> None:
    """Wait for the end of a connection; what a browser says is of no interest."""
    try:
        while True:
            await socket.receive_bytes()
    except (WebSocketDisconnect, RuntimeError, KeyError):
        return
