"""The monitored items of one subscription: on values from rows, on other values, on events.

An item reports, only samples, or is disabled. One that only samples lets its notifications wait
until an item that triggers it has something new.                          OPC UA part 4, 5.12
"""

from collections.abc import Sequence

from asyncua import ua
from asyncua.ua import MonitoringMode as Mode

from server.opcua.event_item import Event, EventItems
from server.opcua.item_rules import Asking, ItemRefused, Revised, check_readable
from server.opcua.notification import Waiting
from server.opcua.sampled_items import SampledItems
from server.opcua.slow_item import SlowItems
from server.opcua.sources import Sources

MOST_ITEMS = 100_000  # in one subscription; chosen
UNKNOWN = int(ua.StatusCodes.BadMonitoredItemIdInvalid)


class ItemSet:
    """All items of a subscription."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._counter = 0
        self._sampled = SampledItems(sources)
        self._slow = SlowItems(sources)
        self._events = EventItems(sources)
        self._kinds: dict[int, SampledItems | SlowItems | EventItems] = {}  # where each item is
        self._links: dict[int, set[int]] = {}  # triggering item: triggered ones

    def __len__(self) -> int:
        return len(self._kinds)

    def __contains__(self, number: int) -> bool:
        return number in self._kinds

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
        result.RevisedSamplingInterval, result.RevisedQueueSize = revised
        return result

    def _create(
        self, number: int, request: ua.MonitoredItemCreateRequest, asking: Asking
    ) -> Revised:
        """Make an item of the right kind."""
        if len(self) >= MOST_ITEMS:
            raise ItemRefused(ua.StatusCodes.BadTooManyMonitoredItems)
        item, parameters = request.ItemToMonitor, request.RequestedParameters
        if item.AttributeId == ua.AttributeIds.EventNotifier:
            revised = self._events.create(number, item, parameters)
            self._kinds[number] = self._events
            return revised
        check_readable(item, self._sources.aspace)
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
        result.RevisedSamplingInterval, result.RevisedQueueSize = revised
        return result

    def set_mode(self, number: int, mode: Mode) -> int:
        """Report, only sample, or do nothing; returns a status."""
        if number not in self._kinds:
            return UNKNOWN
        self._kinds[number].set_mode(number, mode)
        return 0

    def delete(self, number: int) -> int:
        """Remove an item and its links; returns a status."""
        if number not in self._kinds:
            return UNKNOWN
        self._kinds.pop(number).delete(number)
        self._links.pop(number, None)
        for links in self._links.values():
            links.discard(number)
        return 0

    def link(
        self, triggering: int, add: Sequence[int], remove: Sequence[int]
    ) -> ua.SetTriggeringResult:
        """Let an item bring others along when it has something new."""
        links = self._links.pop(triggering, set())
        result = ua.SetTriggeringResult()
        result.RemoveResults = [ua.StatusCode(0 if n in links else UNKNOWN) for n in remove]
        links.difference_update(remove)
        result.AddResults = [ua.StatusCode(0 if n in self else UNKNOWN) for n in add]
        links.update(n for n in add if n in self)
        if links:
            self._links[triggering] = links
        return result

    def put_event(self, event: Event) -> None:
        """Offer an event to the items on events."""
        self._events.put(event)

    def collect(self, values: Waiting, events: Waiting) -> None:
        """Append all notifications that are due."""
        moment = self._sources.moment()
        active = self._sampled.collect(moment, values, set(self._links))
        active |= self._slow.collect(values)
        active |= self._events.collect(events)
        triggered = {n for number in active & self._links.keys() for n in self._links[number]}
        if triggered:
            self._sampled.collect_triggered(triggered, moment, values)
            self._slow.collect_triggered(triggered, values)
            self._events.collect_triggered(triggered, events)

    def report_again(self) -> None:
        """Send a value of everything with the next message, even if nothing has changed."""
        self._sampled.report_again()
        self._slow.report_again()
