"""The monitored items of one subscription: on values from rows, on other values, on events.

An item reports, only samples, or is disabled. One that only samples lets its notifications wait
until an item that triggers it has something new.                          OPC UA part 4, 5.12
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from asyncua import ua
from asyncua.ua import MonitoringMode as Mode
from asyncua.ua.object_ids import ObjectIds

from twincell.server.opcua.shares import Holding, Shared
from twincell.server.opcua.subscription.event_item import Event, EventItems
from twincell.server.opcua.subscription.item_links import ItemLinks
from twincell.server.opcua.subscription.item_rules import (
    Asking,
    ItemRefused,
    Revised,
    check_readable,
)
from twincell.server.opcua.subscription.notification import Waiting
from twincell.server.opcua.subscription.sampled_items import SampledItems
from twincell.server.opcua.subscription.slow_item import SlowItems
from twincell.server.opcua.subscription.sources import Sources

MOST_COLLECTING_S = 0.01  # in one go; chosen
FEW_NUMBERS = 5_000  # are looked at at once: some 2 ms; measured
# what only engineers may read, in diagnostics as in audit events
WHAT_OTHERS_DO = ua.NodeId(
    ObjectIds.Server_ServerDiagnostics_SessionsDiagnosticsSummary_SessionDiagnosticsArray
)
UNKNOWN = int(ua.StatusCodes.BadMonitoredItemIdInvalid)
TOO_MANY = int(ua.StatusCodes.BadTooManyMonitoredItems)


class ItemSet:
    """All items of a subscription."""

    def __init__(self, sources: Sources, holding: Holding) -> None:
        self._sources = sources
        self._holding = holding
        self.may_read: Callable[[ua.NodeId], bool] = lambda _: False  # until it has an owner
        self._counter = 0
        self._sampled = SampledItems(sources)
        self._slow = SlowItems(sources, lambda node: self.may_read(node))
        self._events = EventItems(sources, holding, lambda: self.may_read(WHAT_OTHERS_DO))
        self._kinds: dict[int, SampledItems | SlowItems | EventItems] = {}  # where each item is
        self._disabled: set[int] = set()
        self._steps: Iterator[None] | None = None  # of collecting that is not over
        self._links = ItemLinks(holding)

    def __len__(self) -> int:
        return len(self._kinds)

    def __contains__(self, number: int) -> bool:
        return number in self._kinds

    @property
    def n_disabled(self) -> int:
        return len(self._disabled)

    @property
    def handles(self) -> dict[int, int]:
        """What the client calls each item, by what we call it."""
        return {number: kind.handle_of(number) for number, kind in self._kinds.items()}

    @contextmanager
    def room_for(self, count: int) -> Iterator[bool]:
        """Whether there may be so many more items; meanwhile nobody else can have that room."""
        try:
            yield self._holding.take(Shared.ITEMS, count)
        finally:
            self._holding.set(Shared.ITEMS, len(self))

    def create(
        self, request: ua.MonitoredItemCreateRequest, asking: Asking
    ) -> ua.MonitoredItemCreateResult:
        """Create an item."""
        result = ua.MonitoredItemCreateResult()
        number = self._counter + 1
        try:
            revised = self._create(number, request, asking)
        except ItemRefused as refused:
            result.StatusCode = ua.StatusCode(refused.status)
            return result
        self._counter = number
        self.set_mode(number, Mode(request.MonitoringMode))
        result.MonitoredItemId = number
        _tell(result, revised)
        return result

    def _create(
        self, number: int, request: ua.MonitoredItemCreateRequest, asking: Asking
    ) -> Revised:
        """Make an item of the right kind."""
        item, parameters = request.ItemToMonitor, request.RequestedParameters
        if item.AttributeId == ua.AttributeIds.EventNotifier:
            revised = self._events.create(number, item, parameters)
            self._kinds[number] = self._events
            return revised
        check_readable(item, self._sources.aspace)
        if not self.may_read(item.NodeId):
            raise ItemRefused(ua.StatusCodes.BadUserAccessDenied)
        is_value = item.AttributeId == ua.AttributeIds.Value
        is_sampled = is_value and item.NodeId in self._sources.variables
        kind = self._sampled if is_sampled else self._slow
        revised = kind.create(number, item, parameters, asking)
        self._kinds[number] = kind
        return revised

    def modify(
        self, request: ua.MonitoredItemModifyRequest, asking: Asking
    ) -> ua.MonitoredItemModifyResult:
        """Change what an item was asked; when refused it stays as it is."""
        result = ua.MonitoredItemModifyResult()
        number, parameters = request.MonitoredItemId, request.RequestedParameters
        kind = self._kinds.get(number)
        try:
            if kind is None:
                raise ItemRefused(UNKNOWN)
            if isinstance(kind, EventItems):
                revised = kind.modify(number, parameters)
            else:
                revised = kind.modify(number, parameters, asking)
        except ItemRefused as refused:
            result.StatusCode = ua.StatusCode(refused.status)
            return result
        _tell(result, revised)
        return result

    def set_mode(self, number: int, mode: Mode) -> int:
        """Report, only sample, or do nothing; returns a status."""
        if number not in self._kinds:
            return UNKNOWN
        self._kinds[number].set_mode(number, mode)
        (self._disabled.add if mode is Mode.Disabled else self._disabled.discard)(number)
        return 0

    def delete(self, number: int) -> int:
        """Remove an item and its links; returns a status."""
        if number not in self._kinds:
            return UNKNOWN
        self._kinds.pop(number).delete(number)
        self._holding.add(Shared.ITEMS, -1)
        self._disabled.discard(number)
        self._links.forget(number)
        return 0

    def link(
        self, triggering: int, add: Sequence[int], remove: Sequence[int]
    ) -> ua.SetTriggeringResult:
        """Let an item bring others along when it has something new."""
        result = ua.SetTriggeringResult()
        removed = [self._links.remove(triggering, n) for n in remove]
        result.RemoveResults = [ua.StatusCode(0 if good else UNKNOWN) for good in removed]
        result.AddResults = [ua.StatusCode(self._add_link(triggering, n)) for n in add]
        return result

    def _add_link(self, triggering: int, triggered: int) -> int:
        if triggered not in self:
            return UNKNOWN
        return 0 if self._links.add(triggering, triggered) else TOO_MANY

    def close(self) -> None:
        """The subscription is over."""
        self._events.close()
        self._kinds.clear()
        self._steps = None

    def put_event(self, event: Event) -> None:
        """Offer an event to the items on events."""
        self._events.put(event)

    @property
    def is_much_due(self) -> bool:
        """Whether it takes long to look at all that is due."""
        return self._sampled.numbers_due(self._sources.moment()) > FEW_NUMBERS

    def collect(self, values: Waiting, events: Waiting, most_bytes: float = math.inf) -> bool:
        """Append notifications that are due, until so much waits; whether there is more."""
        if self._steps is None:
            self._steps = self._collecting(values, events)
        end_s = self._sources.now_s() + MOST_COLLECTING_S
        for _ in self._steps:
            if self._sources.now_s() > end_s or values.size + events.size >= most_bytes:
                return True
        self._steps = None
        return False

    def _collecting(self, values: Waiting, events: Waiting) -> Iterator[None]:
        """Append all notifications of a moment, step by step."""
        moment = self._sources.moment()
        active: set[int] = set()
        for numbers in self._sampled.collect(moment, values, self._links.triggering):
            active |= numbers
            yield
        active |= self._slow.collect(values)
        active |= self._events.collect(events)
        triggered = self._links.triggered_by(active)
        if triggered:
            yield from self._sampled.collect_triggered(triggered, moment, values)
            self._slow.collect_triggered(triggered, values)
            self._events.collect_triggered(triggered, events)

    def look_now(self) -> None:
        """Look at every value with the next message, however long its sampling interval is."""
        self._slow.look_now()

    def report_again(self) -> None:
        """Send a value of everything with the next message, even if nothing has changed."""
        self._sampled.report_again()
        self._slow.report_again()


def _tell(
    result: ua.MonitoredItemCreateResult | ua.MonitoredItemModifyResult, revised: Revised
) -> None:
    result.RevisedSamplingInterval, result.RevisedQueueSize = revised.interval_ms, revised.queue
    if revised.filter is not None:
        result.FilterResult = revised.filter
