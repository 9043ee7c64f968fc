"""Publish requests that wait in a session until one of its subscriptions has something to say."""

import time
from collections import deque
from typing import Any, Protocol

from asyncua import ua

MOST_REQUESTS = 100  # that wait in one session; chosen


class Connection(Protocol):
    """What a request needs of the connection it came by."""

    @property
    def is_open(self) -> bool:
        """Whether an answer can be sent at all."""

    @property
    def is_congested(self) -> bool:
        """Whether its client has yet to read what was sent."""

    def send(self, request: "PublishRequest", response: bytes) -> None:
        """Send an encoded PublishResponse."""

    def refuse(self, request: "PublishRequest", status: int) -> None:
        """Send a ServiceFault."""


class PublishRequest:
    """A Publish request that waits for its answer."""

    def __init__(
        self, connection: Connection, header: Any, sequence: Any, results: list[int]
    ) -> None:
        self.connection = connection
        self.header = header
        self.sequence = sequence
        self.results = results  # of its acknowledgements
        hint_ms = header.TimeoutHint
        self.ends = time.monotonic() + hint_ms / 1e3 if hint_ms else None


class PublishQueue:
    """The requests of one session, first in first out."""

    def __init__(self) -> None:
        self._requests: deque[PublishRequest] = deque()

    def __len__(self) -> int:
        return len(self._requests)

    def put(self, request: PublishRequest) -> None:
        """Let a request wait; when there are too many the oldest one is sent back."""
        self._drop_dead()
        if len(self._requests) >= MOST_REQUESTS:
            oldest = self._requests.popleft()
            oldest.connection.refuse(oldest, ua.StatusCodes.BadTooManyPublishRequests)
        self._requests.append(request)

    @property
    def is_ready(self) -> bool:
        """Whether a request waits that can be answered now."""
        self._drop_dead()
        return bool(self._requests) and not self._requests[0].connection.is_congested

    def take(self) -> PublishRequest:
        """The oldest request; only when `is_ready`."""
        return self._requests.popleft()

    def refuse_all(self, status: int) -> None:
        """Send every request back."""
        while self._requests:
            request = self._requests.popleft()
            if request.connection.is_open:
                request.connection.refuse(request, status)

    def _drop_dead(self) -> None:
        """Forget requests of closed connections, and send back those that waited too long."""
        now = time.monotonic()
        for _ in range(len(self._requests)):
            request = self._requests.popleft()
            if not request.connection.is_open:
                continue
            if request.ends is not None and now > request.ends:
                request.connection.refuse(request, ua.StatusCodes.BadTimeout)
                continue
            self._requests.append(request)
