"""What a client may ask of a monitored item: nodes, filters, sampling, queue.

Each function gives the revised value, or raises `ItemRefused` with the status for that item.
"""

import math
from typing import Any, NamedTuple

from asyncua import ua
from asyncua.server.address_space import AddressSpace
from asyncua.ua.uaprotocol_auto import DataChangeFilter  # ua.DataChangeFilter is a subclass

from twincell.server.opcua.space.layout import Layout, Shape
from twincell.server.opcua.subscription.sample_choice import Trigger
from twincell.server.opcua.subscription.sample_encoding import Times

LONGEST_SAMPLING_MS = 3_600_000.0
MOST_PERCENT = 100.0


class ItemRefused(Exception):
    """An item cannot be had this way."""

    def __init__(self, status: int) -> None:
        super().__init__(ua.StatusCode(status).name)
        self.status = status


class Asking(NamedTuple):
    """What a request says about all of its items."""

    times: Times
    publishing_ms: float


class Revised(NamedTuple):
    """What the server makes of an item."""

    interval_ms: float
    queue: int
    filter: ua.EventFilterResult | None = None  # what of its filter cannot be had


def check_readable(item: ua.ReadValueId, aspace: AddressSpace) -> None:
    """The node and its attribute are there."""
    node = aspace.get(item.NodeId)
    if node is None:
        raise ItemRefused(ua.StatusCodes.BadNodeIdUnknown)
    if item.AttributeId not in node.attributes:
        raise ItemRefused(ua.StatusCodes.BadAttributeIdInvalid)


def check_encoding(item: ua.ReadValueId, is_structure: bool) -> None:
    """Only structures have encodings to choose from, and ours have one."""
    if not item.DataEncoding.Name:
        return
    if not is_structure:
        raise ItemRefused(ua.StatusCodes.BadDataEncodingInvalid)
    if item.DataEncoding != ua.QualifiedName("Default Binary", 0):
        raise ItemRefused(ua.StatusCodes.BadDataEncodingUnsupported)


def sampling_ms(interval_ms: float, publishing_ms: float) -> float:
    """Sampling interval: negative means that of publishing, 0 the fastest there is."""
    if math.isnan(interval_ms):
        interval_ms = 0.0
    return min(publishing_ms if interval_ms < 0.0 else interval_ms, LONGEST_SAMPLING_MS)


def sampling_ticks(
    interval_ms: float, publishing_ms: float, step_s: float, readable_rows: int
) -> int:
    """Sampling period in ticks: the nearest one that is not slower than asked.

    The ring always holds a sample: its rows span at least two periods.
    """
    ticks = sampling_ms(interval_ms, publishing_ms) / (step_s * 1e3)
    return max(1, min(math.floor(ticks + 1e-6), readable_rows // 2))  # but for rounding


def queue_size(requested: int, period: int, readable_rows: int) -> int:
    """Samples that may wait: not more than the ring holds, as they wait there."""
    return max(1, min(requested, -(-readable_rows // period)))


def data_filter(
    asked: Any, is_value: bool, is_number: bool, limits: tuple[float, float] | None = None
) -> tuple[Trigger, float]:
    """Trigger of a DataChangeFilter, and its deadband as a number to compare with.

    Only the attribute Value can be filtered at all, and only numbers have a deadband; one in
    percent is that share of the way from the least to the greatest value.     part 8, 7.2
    """
    if asked is None or _is_null(asked):
        return Trigger.STATUS_VALUE, 0.0
    if isinstance(asked, ua.EventFilter):
        raise ItemRefused(ua.StatusCodes.BadFilterNotAllowed)
    if not isinstance(asked, DataChangeFilter):
        raise ItemRefused(ua.StatusCodes.BadMonitoredItemFilterUnsupported)
    if not is_value:
        raise ItemRefused(ua.StatusCodes.BadFilterNotAllowed)
    trigger = Trigger(int(asked.Trigger))
    if asked.DeadbandType == ua.DeadbandType.None_:
        return trigger, 0.0
    if asked.DeadbandType not in (ua.DeadbandType.Absolute, ua.DeadbandType.Percent):
        raise ItemRefused(ua.StatusCodes.BadDeadbandFilterInvalid)
    if not is_number:
        raise ItemRefused(ua.StatusCodes.BadFilterNotAllowed)
    if not (math.isfinite(asked.DeadbandValue) and asked.DeadbandValue >= 0.0):
        raise ItemRefused(ua.StatusCodes.BadDeadbandFilterInvalid)
    if asked.DeadbandType == ua.DeadbandType.Absolute:
        return trigger, float(asked.DeadbandValue)
    if limits is None:
        raise ItemRefused(ua.StatusCodes.BadMonitoredItemFilterUnsupported)
    if asked.DeadbandValue > MOST_PERCENT:
        raise ItemRefused(ua.StatusCodes.BadDeadbandFilterInvalid)
    return trigger, asked.DeadbandValue / MOST_PERCENT * (limits[1] - limits[0])


def is_number(layout: Layout) -> bool:
    """Whether values of a layout can be compared with a deadband."""
    return layout.shape in (Shape.SCALAR, Shape.ARRAY) and layout.number != "u1"


def _is_null(asked: Any) -> bool:
    """Whether this is the ExtensionObject that stands for none."""
    return isinstance(asked, ua.ExtensionObject) and asked.TypeId.is_null()
