"""Publish requests that wait in a session until one of its subscriptions has something to say."""

import math
import time
from collections import deque
from typing import Any, Protocol

from asyncua import ua

from twincell.server.opcua.subscription.publish_response import Message, publish_response


class Reply(Protocol):
    """How a request is answered, over the connection that it came by."""

    header: Any  # of the request

    @property
    def is_open(self) -> bool:
        """Whether an answer can be sent at all."""

    @property
    def is_congested(self) -> bool:
        """Whether its client has yet to read what was sent."""

    @property
    def room(self) -> int:
        """Bytes that its answer may have."""

    def send(self, response: bytes) -> None:
        """Send an encoded response."""

    def refuse(self, status: int) -> None:
        """Send a ServiceFault."""


class PublishRequest:
    """A Publish request that waits for its answer."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.handle: int = reply.header.RequestHandle
        self.results: list[int] = []  # of its acknowledgements
        hint_ms = reply.header.TimeoutHint
        self.ends = time.monotonic() + hint_ms / 1e3 if hint_ms else math.inf


class PublishQueue:
    """The requests of one session, first in first out."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._requests: deque[PublishRequest] = deque()
        self._first_end = math.inf  # when the first of them has waited too long, or later
        self._news: deque[tuple[int, Message]] = deque(maxlen=most)

    def __len__(self) -> int:
        return len(self._requests)

    def put(self, request: PublishRequest) -> None:
        """Let a request wait; when there are too many the oldest one is sent back."""
        self._drop_dead()
        if len(self._requests) >= self._most:
            oldest = self._requests.popleft()
            oldest.reply.refuse(ua.StatusCodes.BadTooManyPublishRequests)
        self._requests.append(request)
        self._first_end = min(self._first_end, request.ends)

    @property
    def is_ready(self) -> bool:
        """Whether a request waits that can be answered now."""
        self._drop_dead()
        return bool(self._requests) and not self._requests[0].reply.is_congested

    def tell(self, subscription: int, message: Message) -> None:
        """Say what has become of a subscription, as soon as somebody asks for anything."""
        self._news.append((subscription, message))
        self.tell_news()

    @property
    def has_news(self) -> bool:
        """Whether the client does not know yet what has become of its subscriptions."""
        return bool(self._news)

    def tell_news(self) -> None:
        """Answer requests with what has become of subscriptions."""
        while self._news and self.is_ready:
            request, (subscription, message) = self.take(), self._news.popleft()
            request.reply.send(
                publish_response(
                    request.handle, subscription, (), self.has_news, message, request.results
                )
            )

    @property
    def n_result(self) -> int:
        """Results of acknowledgements that wait with the requests."""
        self._drop_dead()
        return sum(len(one.results) for one in self._requests)

    @property
    def next(self) -> PublishRequest:
        """The oldest request; only when `is_ready`."""
        return self._requests[0]

    def take(self) -> PublishRequest:
        """Take the oldest request out; only when `is_ready`."""
        return self._requests.popleft()

    def cancel(self, handle: int) -> int:
        """Send back all requests with a client's handle; how many there were."""
        cancelled = [one for one in self._requests if one.handle == handle]
        for request in cancelled:
            self._requests.remove(request)
            request.reply.refuse(ua.StatusCodes.BadRequestCancelledByClient)
        return len(cancelled)

    def refuse_all(self, status: int) -> None:
        """Send every request back."""
        while self._requests:
            self._requests.popleft().reply.refuse(status)

    def _drop_dead(self) -> None:
        """Forget requests of closed connections, and send back those that waited too long."""
        now = time.monotonic()
        if self._requests and self._requests[0].reply.is_open and now <= self._first_end:
            return  # the next one can be answered: the others have time
        self._first_end = math.inf
        for _ in range(len(self._requests)):
            request = self._requests.popleft()
            if not request.reply.is_open:
                continue
            if now > request.ends:
                request.reply.refuse(ua.StatusCodes.BadTimeout)
                continue
            self._requests.append(request)
            self._first_end = min(self._first_end, request.ends)
