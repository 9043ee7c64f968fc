"""A subscription: collects what its items report, once every publishing interval, and sends it.

    cycle      once an interval: counts, and wants to send
    serve      sends what is due while Publish requests are there; without one it is late, and is
               served as soon as one comes
    nothing to send for `keep_alive` intervals: an empty message; nobody asks for `lifetime`
    intervals: the subscription ends

While it waits nothing is collected: the rows stay in the ring, and a client that is slow or gone
costs nothing.                                                          OPC UA part 4, 5.13.1
"""

import asyncio
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass

from asyncua import ua

from server.opcua.item_set import ItemSet
from server.opcua.notification import Waiting, data_change, event_list, status_change
from server.opcua.publish_queue import PublishQueue
from server.opcua.publish_response import Message, publish_response
from server.opcua.sources import Sources
from server.opcua.wire_time import wire_now

log = logging.getLogger("twincell.opcua")

SHORTEST_INTERVAL_MS = 5.0  # chosen: five ticks
LONGEST_INTERVAL_MS = 3_600_000.0
DEFAULT_KEEP_ALIVE_MS = 5_000.0
LONGEST_KEEP_ALIVE_MS = 60_000.0
LONGEST_LIFETIME_MS = 600_000.0  # an orphan stays no longer; chosen
MOST_NOTIFICATIONS = 100_000  # in one message; chosen
MOST_BYTES = 4_000_000  # in one message: clients refuse larger ones; chosen
KEPT_BYTES = 16_000_000  # of messages not acknowledged yet; chosen
KEPT_MESSAGES = 1_000


@dataclass(frozen=True)
class Terms:
    """How a subscription publishes, after revision."""

    interval_ms: float
    keep_alive: int  # intervals
    lifetime: int  # intervals
    most_notifications: int
    priority: int


def revised_terms(
    interval_ms: float, keep_alive: int, lifetime: int, most_notifications: int, priority: int
) -> Terms:
    """What the server makes of a request."""
    if math.isnan(interval_ms):
        interval_ms = SHORTEST_INTERVAL_MS
    interval = min(max(interval_ms, SHORTEST_INTERVAL_MS), LONGEST_INTERVAL_MS)
    most_alive = max(1, int(LONGEST_KEEP_ALIVE_MS / interval))
    alive = min(keep_alive or max(1, int(DEFAULT_KEEP_ALIVE_MS / interval)), most_alive)
    most_life = max(3 * alive, int(LONGEST_LIFETIME_MS / interval))
    life = min(max(lifetime, 3 * alive), most_life)
    most = min(most_notifications or MOST_NOTIFICATIONS, MOST_NOTIFICATIONS)
    return Terms(interval, alive, life, most, priority)


class Subscription:
    """One subscription of one session."""

    def __init__(
        self,
        number: int,
        terms: Terms,
        enabled: bool,
        sources: Sources,
        sent: Callable[[int], None],
        ended: Callable[["Subscription"], None],
    ) -> None:
        self.number = number
        self.terms = terms
        self.enabled = enabled
        self.items = ItemSet(sources)
        self.queue: PublishQueue | None = None  # of the session that owns it
        self.session_id = ua.NodeId()
        self.late_since_s = 0.0  # when it last had its turn, or became late
        self._sent = sent
        self._ended = ended
        self._values = Waiting()
        self._events = Waiting()
        self._kept: dict[int, Message] = {}
        self._kept_bytes = 0
        self._next_number = 1
        self._due = False
        self._is_first = True
        self._idle = 0  # intervals since the last message
        self._unheard = 0  # intervals since its client last asked
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to publish, or begin another interval."""
        if self._task is not None:
            self._task.cancel()
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(self._look_after)

    def stop(self) -> None:
        """End, and forget everything."""
        if self._task is not None:
            self._task.cancel()
            self._task = None  # its end holds on to us: who is let go by both goes at once
        self._values.clear()
        self._events.clear()
        self._kept.clear()

    def change(self, terms: Terms) -> None:
        """Publish on other terms from now on."""
        is_other_interval = terms.interval_ms != self.terms.interval_ms
        self.terms = terms
        self.heard()
        if is_other_interval:
            self.start()

    def heard(self) -> None:
        """Its client is there."""
        self._unheard = 0

    @property
    def is_late(self) -> bool:
        """Whether it has something to send, or has yet to look."""
        return self._due or self._has_data

    @property
    def _has_data(self) -> bool:
        """Whether notifications wait that no message has carried yet."""
        return self._values.count > 0 or self._events.count > 0

    @property
    def _can_send(self) -> bool:
        """Whether a request waits that can be answered."""
        return self.queue is not None and self.queue.is_ready

    def _look_after(self, task: asyncio.Task[None]) -> None:
        """A subscription that cannot publish any more is over, and the log says why."""
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("subscription %d ended: %r", self.number, error, exc_info=error)
            self._ended(self)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        at = loop.time()
        while True:
            interval_s = self.terms.interval_ms / 1e3
            # never more than one interval behind: what was missed is in the next message anyway
            at = max(at + interval_s, loop.time() - interval_s)
            await asyncio.sleep(at - loop.time())
            self.cycle()

    def cycle(self) -> None:
        """One publishing interval is over."""
        self._idle += 1
        # as long as requests are there, its client is
        self._unheard = 0 if self._can_send else self._unheard + 1
        if self._unheard > self.terms.lifetime:
            self._ended(self)
            return
        if not self.is_late:
            self.late_since_s = asyncio.get_running_loop().time()
        self._due = True
        self.serve()

    def serve(self) -> None:
        """Send what is due, as long as there are requests to answer."""
        while self.is_late and self._can_send:
            if self._due and self.enabled and not self._has_data:
                self.items.collect(self._values, self._events)
            self._due = False
            if self.enabled and self._has_data:
                message = Message(self._next_number, wire_now(), self._next_data())
                self._next_number = self._next_number % 0xFFFF_FFFF + 1
                self._keep(message)
                self._send(message)
            elif self._is_first or self._idle >= self.terms.keep_alive:
                self._send(Message(self._next_number, wire_now(), ()))
            else:
                return

    def tell(self, status: int) -> None:
        """Tell the client that the subscription is no longer its own, if it asks for anything.

        The message is not one of those that are counted: whoever takes over misses none.
        """
        if self._can_send:
            self._send(Message(self._next_number, wire_now(), (status_change(status),)))

    def acknowledge(self, number: int) -> int:
        """The client has a message; returns a status."""
        message = self._kept.pop(number, None)
        if message is None:
            return int(ua.StatusCodes.BadSequenceNumberUnknown)
        self._kept_bytes -= message.size
        return 0

    def kept(self, number: int) -> Message | None:
        """A message that was sent and not acknowledged."""
        return self._kept.get(number)

    @property
    def kept_numbers(self) -> list[int]:
        return list(self._kept)

    def _next_data(self) -> tuple[bytes, ...]:
        """What the next message carries."""
        data = []
        limit, room = self.terms.most_notifications, MOST_BYTES
        if self._events.count:
            count, pieces = self._events.cut(limit, room)
            data.append(event_list(count, pieces))
            limit, room = limit - count, room - len(data[0])
        if self._values.count and limit > 0 and room > 0:
            count, pieces = self._values.cut(limit, room)
            data.append(data_change(count, pieces))
            self._sent(count)
        return tuple(data)

    def _send(self, message: Message) -> None:
        """Answer a request with a message; one without data is a keep-alive."""
        assert self.queue is not None  # the caller has seen that it is ready
        request = self.queue.take()
        self._is_first = False
        self._idle = 0
        self.late_since_s = asyncio.get_running_loop().time()
        response = publish_response(
            request.header.RequestHandle,
            self.number,
            self.kept_numbers,
            self._has_data,
            message,
            request.results,
        )
        request.connection.send(request, response)

    def _keep(self, message: Message) -> None:
        """Keep a message for Republish, within bounds."""
        self._kept[message.number] = message
        self._kept_bytes += message.size
        while len(self._kept) > KEPT_MESSAGES or (
            self._kept_bytes > KEPT_BYTES and len(self._kept) > 1
        ):
            self._kept_bytes -= self._kept.pop(next(iter(self._kept))).size
