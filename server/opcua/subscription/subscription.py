"""A subscription: collects what its items report, once every publishing interval, and sends it.

    cycle      once an interval: counts, and wants to send
    serve      sends what is due while Publish requests are there; without one it is late, and is
               served as soon as one comes
    nothing to send for `keep_alive` intervals: an empty message; nobody asks for `lifetime`
    intervals: the subscription ends

While it waits nothing is collected: the rows stay in the ring. Some of them are, as much as one
message takes, when there is somebody to send it to and his share is not used up. Without a request
the clock does not wake it but for the end of its lifetime: a client that is slow or gone costs
nothing.                                                                OPC UA part 4, 5.13.1
"""

import asyncio
import logging
import math
from collections.abc import Callable
from typing import Any

from asyncua import ua

from twincell.server.opcua.shares import Holding, Shared
from twincell.server.opcua.subscription.item_set import ItemSet
from twincell.server.opcua.subscription.notification import (
    MOST_BYTES,
    WRAPPING_BYTES,
    Waiting,
    data_change,
    event_list,
    status_change,
)
from twincell.server.opcua.subscription.publish_queue import PublishQueue
from twincell.server.opcua.subscription.publish_response import (
    Message,
    notification_room,
    publish_response,
)
from twincell.server.opcua.subscription.publishing_clock import PublishingClock
from twincell.server.opcua.subscription.sources import Sources
from twincell.server.opcua.subscription.subscription_counts import SubscriptionCounts
from twincell.server.opcua.subscription.subscription_terms import Terms
from twincell.server.opcua.wire.wire_time import wire_now

log = logging.getLogger("twincell.opcua")

KEPT_BYTES = 16_000_000  # of messages not acknowledged yet; chosen
KEPT_MESSAGES = 1_000


class Subscription:
    """One subscription of one session."""

    def __init__(
        self,
        number: int,
        terms: Terms,
        enabled: bool,
        sources: Sources,
        holding: Holding,
        clock: PublishingClock,
        sent: Callable[[int], None],
        ended: Callable[["Subscription"], None],
    ) -> None:
        self.number = number
        self.terms = terms
        self.counts = SubscriptionCounts()
        self._enabled = enabled
        self.holding = holding  # of what all clients share
        self.items = ItemSet(sources, holding)
        self.queue: PublishQueue | None = None  # of the session that owns it
        self.session_id = ua.NodeId()
        self.owner: Any = None  # the session that has it, or had it last
        self.orphan_since_s = 0.0  # when its session ended, if it has none
        self.late_since_s = 0.0  # when it last had its turn, or became late
        self._budget = sources.budget
        self._clock = clock
        self._cycle_s = 0.0  # when the next interval is over, by plan
        self._asleep_since_s: float | None = None  # when it was last seen that nobody asks
        self._is_over = False
        self.is_held = False  # sends nothing, until its client has another answer
        self._sent = sent
        self._ended = ended
        self._values = Waiting()
        self._events = Waiting()
        self._kept: dict[int, Message] = {}
        self._kept_bytes = 0
        self._next_number = 1
        self._due = False
        self._is_behind = False  # has looked at some of what is due, and not at the rest
        self._in_line = False  # waits until it may look at much
        self._is_first = True
        self._idle = 0  # intervals since the last message
        self._unheard = 0  # intervals since its client last asked

    def start(self) -> None:
        """Begin to publish, or begin another interval."""
        self._cycle_s = asyncio.get_running_loop().time() + self._interval_s
        self._clock.set(self, self._cycle_s)

    def stop(self) -> None:
        """End, and forget everything."""
        self._is_over = True
        self._clock.remove(self)
        self.items.close()
        self.holding.close()
        self._budget.leave(self)
        self._values.clear()
        self._events.clear()
        self._kept.clear()
        self._kept_bytes = 0

    @property
    def enabled(self) -> bool:
        """Whether it publishes more than signs of life."""
        return self._enabled

    @enabled.setter
    def enabled(self, enabled: bool) -> None:
        self._enabled = enabled
        self.counts.enabled += enabled
        self.counts.disabled += not enabled

    def change(self, terms: Terms) -> None:
        """Publish on other terms from now on."""
        self.counts.modified += 1
        is_other_interval = terms.interval_ms != self.terms.interval_ms
        self.terms = terms
        self.heard()
        if is_other_interval:
            self.start()

    def heard(self) -> None:
        """Its client is there."""
        self._idle, self._unheard = self.idle, 0
        if self._asleep_since_s is not None:
            self._asleep_since_s = None
            self._wait_for_next_cycle(self._intervals_over + 1)

    def sleep(self) -> None:
        """Nobody asks: nothing is to be done before somebody does, or its lifetime is over."""
        if self._asleep_since_s is None:
            self._asleep_since_s = asyncio.get_running_loop().time()
            left = self.terms.lifetime + 1 - self._unheard
            self._clock.set(self, self._asleep_since_s + left * self._interval_s)

    @property
    def _intervals_over(self) -> int:
        """Since the last cycle should have been."""
        late_s = asyncio.get_running_loop().time() - self._cycle_s
        return max(math.floor(late_s / self._interval_s), 0)

    def _wait_for_next_cycle(self, intervals: int) -> None:
        """In step with those before."""
        self._cycle_s += intervals * self._interval_s
        self._clock.set(self, self._cycle_s)

    @property
    def _interval_s(self) -> float:
        return self.terms.interval_ms / 1e3

    @property
    def _slept(self) -> int:
        """Intervals that it has slept."""
        if self._asleep_since_s is None:
            return 0
        slept_s = asyncio.get_running_loop().time() - self._asleep_since_s
        return int(slept_s / self._interval_s)

    @property
    def client(self) -> str:
        """Whose it is."""
        client: str = self.owner.client
        return client

    @property
    def is_late(self) -> bool:
        """Whether it has something to send, or has yet to look."""
        return self._due or self._is_behind or self._has_data

    @property
    def _has_data(self) -> bool:
        """Whether notifications wait that no message has carried yet."""
        return self._values.count > 0 or self._events.count > 0

    @property
    def _can_send(self) -> bool:
        """Whether a request waits that can be answered."""
        return self.queue is not None and self.queue.is_ready

    def wake(self) -> None:
        """The clock has come to its next cycle, or to the end of its lifetime.

        A subscription that cannot publish any more is over, and the log says why.
        """
        if self._asleep_since_s is not None:
            self._ended(self)
            return
        try:
            self.cycle()
        except Exception as error:
            log.exception("subscription %d ended: %r", self.number, error)
            self._ended(self)
        if self._is_over or self in self._clock:
            return
        if self.is_late and not self.queue:
            self.sleep()
        else:
            # never more than one interval behind: what was missed is in the next message anyway
            self._wait_for_next_cycle(max(self._intervals_over, 1))

    def cycle(self) -> None:
        """One publishing interval is over."""
        self._idle += 1
        # as long as requests are there, its client is
        self._unheard = 0 if self._can_send else self._unheard + 1
        if self._unheard > self.terms.lifetime:
            self._ended(self)
            return
        was_late = self.is_late
        if not was_late:
            self.late_since_s = asyncio.get_running_loop().time()
        self._due = True
        self.serve()
        self.counts.late += self.is_late and not was_late

    def _wait_for_turn(self) -> None:
        """Go on when it is the turn of this subscription among those that take long."""
        if not self._in_line:
            self._in_line = True
            self._budget.in_turn(self.queue, self._serve_in_turn)

    def _serve_in_turn(self) -> None:
        self._in_line = False
        if not self._is_over:
            self.serve(in_turn=True)

    def serve(self, in_turn: bool = False) -> None:
        """Send what is due, as long as there are requests to answer."""
        while self.is_late and self._can_send and not self.is_held:
            is_new = self._due and self.enabled and not self._has_data
            if (is_new or self._is_behind) and self._waiting < (most := self._most_waiting):
                if in_turn or not (self._is_behind or self.items.is_much_due):
                    self._is_behind = self.items.collect(self._values, self._events, most)
                    self._count_waiting()
                    in_turn = False
                else:
                    self._is_behind = True
                if self._is_behind and self._waiting < most:
                    self._wait_for_turn()
                    return
            if self._is_behind and not self._has_data:
                return  # there is no room yet
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

    @property
    def _most_waiting(self) -> int:
        """Bytes that may wait before something is sent: a message, within the client's share."""
        return min(MOST_BYTES, self._waiting + int(self.holding.room(Shared.WAITING)))

    @property
    def _waiting(self) -> int:
        """Bytes that wait."""
        return self._values.size + self._events.size

    def _count_waiting(self) -> None:
        self.holding.set(Shared.WAITING, self._waiting)

    def tell(self, status: int) -> None:
        """Tell the client that the subscription is over or no longer its own, once it asks.

        The message is not one of those that are counted: whoever takes over misses none.
        """
        if self.queue is not None:
            message = Message(self._next_number, wire_now(), (status_change(status),))
            self.queue.tell(self.number, message)

    def acknowledge(self, number: int) -> int:
        """The client has a message; returns a status."""
        message = self._kept.pop(number, None)
        if message is None:
            return int(ua.StatusCodes.BadSequenceNumberUnknown)
        self._let_go(message)
        return 0

    def kept(self, number: int) -> Message | None:
        """A message that was sent and not acknowledged, to be sent once more."""
        message = self._kept.get(number)
        self.counts.republish_requests += 1
        self.counts.republished += message is not None
        return message

    @property
    def kept_numbers(self) -> list[int]:
        return list(self._kept)

    @property
    def next_number(self) -> int:
        """Sequence number of the next message with data."""
        return self._next_number

    @property
    def idle(self) -> int:
        """Intervals since the last message."""
        return self._idle + self._slept

    @property
    def unheard(self) -> int:
        """Intervals since its client last asked."""
        return self._unheard + self._slept

    def _room(self) -> int:
        """Bytes of notifications that the client can take in the next message."""
        assert self.queue is not None  # the caller has seen that it is ready
        request = self.queue.next
        n_available = len(self._kept) + 1
        room = notification_room(request.reply.room, n_available, len(request.results))
        return min(room, MOST_BYTES)

    def _next_data(self) -> tuple[bytes, ...]:
        """What the next message carries: at least one notification."""
        data: list[bytes] = []
        limit, room = self.terms.most_notifications, self._room()
        if self._events.count:
            count, pieces = self._events.cut(limit, room - WRAPPING_BYTES)
            data.append(event_list(count, pieces))
            self.counts.events += count
            limit, room = limit - count, room - len(data[0])
        if self._values.count:
            least = 0 if data else 1
            count, pieces = self._values.cut(limit, room - WRAPPING_BYTES, least)
            if count:
                data.append(data_change(count, pieces))
            self.counts.values += count
            self._sent(count)
        self._count_waiting()
        return tuple(data)

    def _send(self, message: Message) -> None:
        """Answer a request with a message; one without data is a keep-alive."""
        assert self.queue is not None  # the caller has seen that it is ready
        request = self.queue.take()
        self.counts.publish_answers += 1
        self._is_first = False
        self._idle = 0
        self.late_since_s = asyncio.get_running_loop().time()
        response = publish_response(
            request.handle,
            self.number,
            self.kept_numbers,
            self._has_data or self._is_behind,
            message,
            request.results,
        )
        request.reply.send(response)

    def _keep(self, message: Message) -> None:
        """Keep a message for Republish, within bounds."""
        self._kept[message.number] = message
        self._kept_bytes += message.size
        self._budget.keep(self, message.size)
        while len(self._kept) > KEPT_MESSAGES or (
            self._kept_bytes > KEPT_BYTES and len(self._kept) > 1
        ):
            self.forget_oldest()

    @property
    def kept_bytes(self) -> int:
        """Of messages that were sent and not acknowledged."""
        return self._kept_bytes

    def forget_oldest(self) -> None:
        """Let the oldest message go that was not acknowledged."""
        self._let_go(self._kept.pop(next(iter(self._kept))))
        self.counts.discarded_messages += 1

    def _let_go(self, message: Message) -> None:
        self._kept_bytes -= message.size
        self._budget.let_go(message.size)
