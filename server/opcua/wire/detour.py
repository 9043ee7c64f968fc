"""Answers to one client that are held up, as by a slow network: later, but in their order.

How much is held up is bounded like what a client does not read: beyond that nothing more is
answered until some of it has gone.
"""

import asyncio
from collections import deque
from collections.abc import Callable


class Detour:
    """A queue of answers, each with the time at which it goes."""

    def __init__(self, most_bytes: int, changed: Callable[[], None]) -> None:
        self._most_bytes = most_bytes
        self._changed = changed  # is told when there is more or less than before
        self._waiting: deque[tuple[float, int, Callable[[], None]]] = deque()
        self._bytes = 0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_empty(self) -> bool:
        return not self._waiting

    @property
    def is_full(self) -> bool:
        return self._bytes >= self._most_bytes

    def hold(self, send: Callable[[], None], size: int, delay_s: float) -> None:
        """Send an answer later, and not before those that are held up already."""
        now_s = asyncio.get_running_loop().time()
        due_s = max(now_s + delay_s, self._waiting[-1][0] if self._waiting else 0.0)
        self._waiting.append((due_s, size, send))
        self._bytes += size
        self._changed()
        if self._timer is None:
            self._wait()

    def release(self) -> None:
        """Send everything now."""
        while self._waiting:
            self._send_next()
        self.forget()

    def forget(self) -> None:
        """The client is gone, or nothing waits any more."""
        self._waiting.clear()
        self._bytes = 0
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wait(self) -> None:
        self._timer = asyncio.get_running_loop().call_at(self._waiting[0][0], self._send_due)

    def _send_due(self) -> None:
        self._timer = None
        now_s = asyncio.get_running_loop().time()
        while self._waiting and self._waiting[0][0] <= now_s:
            self._send_next()
        if self._waiting:
            self._wait()

    def _send_next(self) -> None:
        _, size, send = self._waiting.popleft()
        self._bytes -= size
        send()
        self._changed()
