"""Whose request is answered next: one at a time, and fair in time used.

Of all who wait, the one goes first that has used least. A client that floods the server with
costly requests waits for itself; one that asks for little goes past it. Whoever comes new, or has
been silent, starts where the others are now: nobody saves up turns.

    start = max(now, own finish);   finish = start + time used       start-time fair queueing,
    the least start goes first;     now = start of whoever has it    after Goyal, Vin, Cheng 1996
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class TimeUsed:
    """How much of the server's time somebody has used."""

    def __init__(self) -> None:
        self.finish_s = 0.0  # in the time of all turns


class Turns:
    """Hands out turns."""

    def __init__(self) -> None:
        self._now_s = 0.0  # grows with the time used, not with the clock
        self._is_taken = False
        self._waiting: list[tuple[TimeUsed, asyncio.Future[None]]] = []  # who came first is first

    @asynccontextmanager
    async def of(self, used: TimeUsed) -> AsyncIterator[None]:
        """A turn of somebody's own."""
        used.finish_s = max(self._now_s, used.finish_s)
        await self._wait(used)
        self._now_s = max(self._now_s, used.finish_s)
        began_s = time.monotonic()
        try:
            yield
        finally:
            used.finish_s += time.monotonic() - began_s
            # not at once: whatever is due, such as publishing, comes first
            asyncio.get_running_loop().call_soon(self._pass_on)

    async def _wait(self, used: TimeUsed) -> None:
        """Until nobody else has the turn; others have theirs in between, and so has the loop."""
        if not self._is_taken:
            self._is_taken = True
            return
        called: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((used, called))
        try:
            await called
        except asyncio.CancelledError:
            if called.done() and not called.cancelled():
                self._pass_on()  # it was called, and is not there any more
            raise

    def _pass_on(self) -> None:
        self._waiting = [one for one in self._waiting if not one[1].done()]
        self._is_taken = bool(self._waiting)
        if self._waiting:
            least = min(self._waiting, key=lambda one: one[0].finish_s)
            self._waiting.remove(least)
            least[1].set_result(None)
