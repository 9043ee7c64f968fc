"""Encoded notifications wait in their order and leave in messages of any size."""

import numpy as np
from asyncua import ua
from asyncua.common.utils import Buffer
from asyncua.ua.ua_binary import extensionobject_from_binary, struct_to_binary
from hypothesis import given, settings
from hypothesis import strategies as st

from twincell.server.opcua.subscription.notification import (
    Waiting,
    data_change,
    event_list,
    status_change,
)

RECORD = np.dtype([("number", "<u4"), ("rest", "V3")])


def records(first: int, count: int) -> np.ndarray:
    block = np.zeros(count, RECORD)
    block["number"] = np.arange(first, first + count)
    return block


def texts(first: int, count: int) -> list[bytes]:
    """Of different sizes; the first four bytes are their number."""
    return [k.to_bytes(4, "little") + b"x" * (k % 5) for k in range(first, first + count)]


blocks = st.lists(st.tuples(st.booleans(), st.integers(0, 12)), max_size=8)


@settings(deadline=None)
@given(blocks, st.integers(1, 15), st.integers(1, 60))
def test_everything_leaves_in_its_order_within_limits(
    blocks: list[tuple[bool, int]], limit: int, most_bytes: int
):
    waiting = Waiting()
    whole, first = b"", 0
    for is_array, count in blocks:
        block = records(first, count) if is_array else texts(first, count)
        waiting.append(block)
        whole += block.tobytes() if is_array else b"".join(block)
        first += count
    assert waiting.count == first

    taken, together = 0, b""
    while waiting.count:
        count, pieces = waiting.cut(limit, most_bytes)
        data = b"".join(pieces)
        assert 1 <= count <= limit
        assert count == 1 or len(data) <= most_bytes
        taken += count
        together += data
    assert taken == first
    assert together == whole


def test_nothing_waits_after_clearing():
    waiting = Waiting()
    waiting.append(records(0, 5))
    waiting.append([])
    waiting.clear()
    assert waiting.count == 0
    assert waiting.cut(10, 100) == (0, [])


def value(handle: int) -> ua.MonitoredItemNotification:
    return ua.MonitoredItemNotification(handle, ua.DataValue(ua.Variant(float(handle))))


def test_asyncua_reads_a_data_change():
    encoded = [bytes(struct_to_binary(value(handle))) for handle in range(3)]
    decoded = extensionobject_from_binary(Buffer(data_change(3, encoded)))
    assert isinstance(decoded, ua.DataChangeNotification)
    assert [v.ClientHandle for v in decoded.MonitoredItems] == [0, 1, 2]
    assert [v.Value.Value.Value for v in decoded.MonitoredItems] == [0.0, 1.0, 2.0]


def test_asyncua_reads_a_list_of_events():
    events = [ua.EventFieldList(handle, [ua.Variant("a"), ua.Variant(2)]) for handle in (7, 8)]
    encoded = [bytes(struct_to_binary(event)) for event in events]
    decoded = extensionobject_from_binary(Buffer(event_list(2, encoded)))
    assert decoded == ua.EventNotificationList(events)


def test_asyncua_reads_a_change_of_status():
    decoded = extensionobject_from_binary(Buffer(status_change(ua.StatusCodes.BadTimeout)))
    assert isinstance(decoded, ua.StatusChangeNotification)
    assert decoded.Status.name == "BadTimeout"
