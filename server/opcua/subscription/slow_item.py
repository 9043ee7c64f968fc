"""Monitored items on values that do not come from rows: read when the subscription publishes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from asyncua import ua
from asyncua.ua import MonitoringMode as Mode
from asyncua.ua.ua_binary import struct_to_binary

from twincell.server.opcua.attribute import index_range
from twincell.server.opcua.subscription.item_rules import (
    Asking,
    ItemRefused,
    Revised,
    check_encoding,
    data_filter,
    sampling_ms,
)
from twincell.server.opcua.subscription.notification import Waiting
from twincell.server.opcua.subscription.sample_choice import Trigger
from twincell.server.opcua.subscription.sample_encoding import Times
from twincell.server.opcua.subscription.sources import SHORTEST_SAMPLING_S, Sources

MOST_LOOKING_S = 0.003  # at all items of a subscription, each time that it publishes; chosen
NUMBERS = (
    ua.VariantType.SByte,
    ua.VariantType.Byte,
    ua.VariantType.Int16,
    ua.VariantType.UInt16,
    ua.VariantType.Int32,
    ua.VariantType.UInt32,
    ua.VariantType.Int64,
    ua.VariantType.UInt64,
    ua.VariantType.Float,
    ua.VariantType.Double,
)


@dataclass
class SlowItem:
    """One attribute of one node, sampled at most as often as its subscription publishes."""

    item: ua.ReadValueId
    handle: int
    times: Times
    interval_s: float
    trigger: Trigger
    deadband: float
    mode: Mode = Mode.Disabled
    due_s: float = 0.0  # when to look again
    reported: ua.DataValue | None = None
    waiting: bytes | None = None  # encoded, in a queue of one

    def look(self, value: ua.DataValue, now_s: float) -> bool:
        """Look at the value now; whether it is worth a notification, which then waits."""
        self.due_s = now_s + self.interval_s
        if self.reported is not None and not self._differs(self.reported, value):
            return False
        self.reported = value
        notification = ua.MonitoredItemNotification(self.handle, timed(value, self.times))
        self.waiting = bytes(struct_to_binary(notification))
        return True

    def take(self) -> list[bytes]:
        """What waits."""
        waiting, self.waiting = self.waiting, None
        return [] if waiting is None else [waiting]

    def begin(self) -> None:
        """Report whatever the value is, at once."""
        self.due_s, self.reported, self.waiting = 0.0, None, None

    def _differs(self, old: ua.DataValue, new: ua.DataValue) -> bool:
        if old.StatusCode != new.StatusCode:
            return True
        if self.trigger is Trigger.STATUS:
            return False
        before, after = _value(old), _value(new)
        if self.deadband > 0.0 and before is not None and after is not None:
            return bool(abs(after - before) > self.deadband)
        if self.trigger is Trigger.STATUS_VALUE_TIMESTAMP:
            return before != after or old.SourceTimestamp != new.SourceTimestamp
        return bool(before != after)


class SlowItems:
    """Items on attributes of nodes."""

    def __init__(self, sources: Sources, may_read: Callable[[ua.NodeId], bool]) -> None:
        self._sources = sources
        self._may_read = may_read  # by whoever owns the items now
        self._items: dict[int, SlowItem] = {}

    def __contains__(self, number: int) -> bool:
        return number in self._items

    def handle_of(self, number: int) -> int:
        """What the client calls an item."""
        return self._items[number].handle

    def create(
        self,
        number: int,
        item: ua.ReadValueId,
        parameters: ua.MonitoringParameters,
        asking: Asking,
    ) -> Revised:
        """Create an item that is disabled."""
        value = self._sources.read(item.NodeId, ua.AttributeIds(item.AttributeId)).Value
        type_ = None if value is None else value.VariantType
        check_encoding(item, type_ is ua.VariantType.ExtensionObject)
        if item.IndexRange:
            _check_range(item.IndexRange, value)
        made = SlowItem(item, *self._rules(item, parameters, asking))
        self._items[number] = made
        return Revised(made.interval_s * 1e3, 1)

    def modify(self, number: int, parameters: ua.MonitoringParameters, asking: Asking) -> Revised:
        """Change what an item was asked."""
        old = self._items[number]
        handle, times, interval_s, trigger, deadband = self._rules(old.item, parameters, asking)
        self._items[number] = replace(
            old,
            handle=handle,
            times=times,
            interval_s=interval_s,
            trigger=trigger,
            deadband=deadband,
            due_s=min(old.due_s, self._sources.now_s() + interval_s),
        )
        return Revised(interval_s * 1e3, 1)

    def set_mode(self, number: int, mode: Mode) -> None:
        """Report, only sample, or do nothing."""
        item = self._items[number]
        if item.mode is Mode.Disabled:
            item.begin()
        item.mode = mode

    def delete(self, number: int) -> None:
        """Remove an item."""
        del self._items[number]

    def collect(self, waiting: Waiting) -> set[int]:
        """Look at all values that are due and append what is reported; numbers of new ones."""
        now_s = self._sources.now_s()
        active = set()
        for number in self._in_turn():
            item = self._items[number]
            if item.mode is not Mode.Disabled and now_s >= item.due_s and self._look(item, now_s):
                active.add(number)
            if item.mode is Mode.Reporting:
                waiting.append(item.take())
        return active

    def _in_turn(self) -> Iterator[int]:
        """Items, one after the other, until time is up; those left over are first next time."""
        end_s = self._sources.now_s() + MOST_LOOKING_S
        for number in list(self._items):
            yield number
            self._items[number] = self._items.pop(number)  # it is the last one now
            if self._sources.now_s() > end_s:
                return

    def collect_triggered(self, numbers: set[int], waiting: Waiting) -> None:
        """Append what has waited in items that only sample."""
        for number in numbers & self._items.keys():
            waiting.append(self._items[number].take())

    def look_now(self) -> None:
        """Look at every value the next time, whether it is due or not."""
        for item in self._items.values():
            item.due_s = 0.0

    def report_again(self) -> None:
        """Let every item report, even if nothing has changed."""
        for item in self._items.values():
            if item.mode is Mode.Reporting:
                item.begin()

    def _look(self, item: SlowItem, now_s: float) -> bool:
        wanted = item.item
        if self._may_read(wanted.NodeId):
            value = self._sources.read(wanted.NodeId, ua.AttributeIds(wanted.AttributeId))
        else:
            value = ua.DataValue(StatusCode=ua.StatusCode(ua.StatusCodes.BadUserAccessDenied))
        if wanted.IndexRange and value.Value is not None:
            try:
                value = replace(value, Value=index_range.part_of(value.Value, wanted.IndexRange))
            except ua.uaerrors.UaStatusCodeError as error:
                value = ua.DataValue(StatusCode=ua.StatusCode(error.code))
        return item.look(value, now_s)

    def _rules(
        self, item: ua.ReadValueId, parameters: ua.MonitoringParameters, asking: Asking
    ) -> tuple[int, Times, float, Trigger, float]:
        """Handle, times, interval [s], trigger and deadband of an item."""
        is_value = item.AttributeId == ua.AttributeIds.Value
        value = self._sources.read(item.NodeId, ua.AttributeIds(item.AttributeId)).Value
        is_number = value is not None and value.VariantType in NUMBERS and not value.is_array
        trigger, deadband = data_filter(parameters.Filter, is_value, is_number)
        interval_s = sampling_ms(parameters.SamplingInterval, asking.publishing_ms) / 1e3
        return (
            parameters.ClientHandle,
            asking.times,
            max(interval_s, SHORTEST_SAMPLING_S),
            trigger,
            deadband,
        )


def timed(value: ua.DataValue, times: Times) -> ua.DataValue:
    """A value with the times that were asked for."""
    return ua.DataValue(
        value.Value,
        value.StatusCode,
        value.SourceTimestamp if times in (Times.SOURCE, Times.BOTH) else None,
        datetime.now(UTC) if times in (Times.SERVER, Times.BOTH) else None,
    )


def _value(value: ua.DataValue) -> Any:
    return None if value.Value is None else value.Value.Value


def _check_range(text: str, value: ua.Variant | None) -> None:
    """There is something in the range now."""
    try:
        if value is None:
            raise ua.uaerrors.BadIndexRangeNoData
        index_range.part_of(value, text)
    except ua.uaerrors.UaStatusCodeError as error:
        raise ItemRefused(error.code) from None
