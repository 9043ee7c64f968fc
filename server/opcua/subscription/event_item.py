"""Monitored items on events: which events a client wants, and which of their fields.

OPC UA part 4, 7.22.3 (EventFilter), 7.7 (ContentFilter)
"""

import secrets
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from asyncua import ua
from asyncua.ua import MonitoringMode as Mode
from asyncua.ua.object_ids import ObjectIds
from asyncua.ua.ua_binary import struct_to_binary

from twincell.server.opcua.shares import Holding, Shared
from twincell.server.opcua.subscription.event_filter import Where
from twincell.server.opcua.subscription.event_select import Select
from twincell.server.opcua.subscription.item_rules import ItemRefused, Revised
from twincell.server.opcua.subscription.notification import Waiting
from twincell.server.opcua.subscription.sources import Sources

DEFAULT_QUEUE = 1_000  # of events, for a client that leaves it to the server; chosen
LONGEST_QUEUE = 10_000  # chosen
SERVER = ua.NodeId(ObjectIds.Server)


class Event(Protocol):
    """What happened, as fields by their names."""

    fields: dict[str, ua.Variant]


@dataclass
class EventItem:
    """Events of one notifier for one client, until they are published."""

    handle: int
    queue: int
    discard_oldest: bool
    where: Where
    select: Select
    is_on_server: bool  # and not on the cell: then it hears of audits, too
    mode: Mode = Mode.Disabled
    is_new: bool = False  # whether an event came since it was last looked at
    _waiting: deque[Event] = field(default_factory=deque)
    _overflowed: datetime | None = None  # when the first event was lost

    def put(self, event: Event) -> None:
        """Let an event wait if it is wanted; a full queue drops one and says so."""
        if not self.where.accepts(event.fields):
            return
        self.is_new = True
        if len(self._waiting) >= self.queue:
            self._overflowed = self._overflowed or datetime.now(UTC)
            if not self.discard_oldest:
                return
            self._waiting.popleft()
        self._waiting.append(event)

    def take(self) -> list[bytes]:
        """Encoded EventFieldLists of what waits, the overflow of the queue at its place."""
        lists = [self._encoded(event.fields) for event in self._waiting]
        if self._overflowed is not None:
            at = 0 if self.discard_oldest else len(lists)
            lists.insert(at, self._encoded(_overflow(self._overflowed)))
        self.clear()
        return lists

    def clear(self) -> None:
        """Forget what waits."""
        self._waiting.clear()
        self._overflowed = None

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def clauses(self) -> int:
        """What an event costs it."""
        return 1 + len(self.where) + len(self.select)

    def _encoded(self, fields: dict[str, ua.Variant]) -> bytes:
        values = self.select.values(fields)
        return bytes(struct_to_binary(ua.EventFieldList(self.handle, values)))


class EventItems:
    """Items on events."""

    def __init__(self, sources: Sources, holding: Holding, may_audit: Callable[[], bool]) -> None:
        self._sources = sources
        self._holding = holding
        self._may_audit = may_audit  # whether their owner may know what others do
        self._items: dict[int, EventItem] = {}

    def __contains__(self, number: int) -> bool:
        return number in self._items

    def handle_of(self, number: int) -> int:
        """What the client calls an item."""
        return self._items[number].handle

    def create(
        self, number: int, item: ua.ReadValueId, parameters: ua.MonitoringParameters
    ) -> Revised:
        """Create an item that is disabled."""
        if self._sources.aspace.get(item.NodeId) is None:
            raise ItemRefused(ua.StatusCodes.BadNodeIdUnknown)
        if item.NodeId not in self._sources.notifiers:
            raise ItemRefused(ua.StatusCodes.BadAttributeIdInvalid)
        made = self._made(parameters, item.NodeId == SERVER)
        self._count(made.clauses)
        self._items[number] = made
        if made.is_on_server:
            self._sources.auditors.add(self)
        return Revised(0.0, made.queue, made.select.result)

    def modify(self, number: int, parameters: ua.MonitoringParameters) -> Revised:
        """Change what an item was asked; what waits in it goes on waiting."""
        item = self._items[number]
        new = self._made(parameters, item.is_on_server)
        self._count(new.clauses - item.clauses)
        item.handle, item.queue, item.discard_oldest = new.handle, new.queue, new.discard_oldest
        item.where, item.select = new.where, new.select
        return Revised(0.0, item.queue, item.select.result)

    def set_mode(self, number: int, mode: Mode) -> None:
        """Report, only let events wait, or do nothing."""
        item = self._items[number]
        item.mode = mode
        if mode is Mode.Disabled:
            item.clear()

    def delete(self, number: int) -> None:
        """Remove an item."""
        self._count(-self._items.pop(number).clauses)
        if not any(item.is_on_server for item in self._items.values()):
            self._sources.auditors.discard(self)

    def close(self) -> None:
        """The subscription is over: it hears of nothing more."""
        self._sources.auditors.discard(self)

    def _count(self, clauses: int) -> None:
        if clauses <= 0:
            self._holding.add(Shared.CLAUSES, clauses)
        elif not self._holding.take(Shared.CLAUSES, clauses):
            raise ItemRefused(ua.StatusCodes.BadTooManyMonitoredItems)

    def put(self, event: Event) -> None:
        """Offer an event to all items."""
        for item in self._items.values():
            if item.mode is not Mode.Disabled:
                item.put(event)

    @property
    def hears_audits(self) -> bool:
        return self._may_audit()

    def put_audit(self, event: Event) -> None:
        """Offer an audit event to all items on the Server object."""
        for item in self._items.values():
            if item.is_on_server and item.mode is not Mode.Disabled:
                item.put(event)

    def collect(self, waiting: Waiting) -> set[int]:
        """Append the events that are reported; numbers of the items that have new ones."""
        active = {number for number, item in self._items.items() if item.is_new}
        for item in self._items.values():
            item.is_new = False
            if item.mode is Mode.Reporting:
                waiting.append(item.take())
        return active

    def collect_triggered(self, numbers: set[int], waiting: Waiting) -> None:
        """Append what has waited in items that do not report by themselves."""
        for number in numbers & self._items.keys():
            waiting.append(self._items[number].take())

    def _made(self, parameters: ua.MonitoringParameters, is_on_server: bool) -> EventItem:
        select = Select(parameters.Filter, self._sources.event_fields)
        where = Where(parameters.Filter.WhereClause, self._sources.aspace)
        queue = min(parameters.QueueSize or DEFAULT_QUEUE, LONGEST_QUEUE)
        handle, discard_oldest = parameters.ClientHandle, parameters.DiscardOldest
        return EventItem(handle, queue, discard_oldest, where, select, is_on_server)


def _overflow(lost_at: datetime) -> dict[str, ua.Variant]:
    """The event that stands in the place of those that were lost."""
    return {
        "EventId": ua.Variant(secrets.token_bytes(16), ua.VariantType.ByteString),
        "EventType": ua.Variant(ua.NodeId(ObjectIds.EventQueueOverflowEventType)),
        "SourceNode": ua.Variant(ua.NodeId(ObjectIds.Server)),
        "SourceName": ua.Variant("Server"),
        "Time": ua.Variant(lost_at, ua.VariantType.DateTime),
        "ReceiveTime": ua.Variant(lost_at, ua.VariantType.DateTime),
        "Severity": ua.Variant(500, ua.VariantType.UInt16),
        "Message": ua.Variant(ua.LocalizedText("Events were lost: the queue of the item was full")),
    }
