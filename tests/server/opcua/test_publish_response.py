"""Our PublishResponse and RepublishResponse are what asyncua would have encoded."""

from datetime import UTC, datetime, timedelta

from asyncua import ua
from asyncua.common.utils import Buffer
from asyncua.ua.ua_binary import nodeid_from_binary, struct_from_binary, struct_to_binary
from hypothesis import given, settings
from hypothesis import strategies as st

from twincell.server.opcua.subscription.notification import data_change, status_change
from twincell.server.opcua.subscription.publish_response import (
    Message,
    publish_response,
    republish_response,
)
from twincell.server.opcua.wire.wire_time import to_datetime

numbers = st.integers(0, 2**32 - 1)
times = st.integers(10**17, 2 * 10**17).map(lambda time: time // 10 * 10)  # whole microseconds
values = st.lists(st.builds(ua.DataValue, st.builds(ua.Variant, st.floats(-1e9, 1e9))), max_size=4)


@st.composite
def messages(draw: st.DrawFn) -> Message:
    data = []
    for part in draw(st.lists(values, max_size=2)):
        items = [ua.MonitoredItemNotification(k, value) for k, value in enumerate(part)]
        data.append(data_change(len(items), [bytes(struct_to_binary(item)) for item in items]))
    if draw(st.booleans()):
        data.append(status_change(ua.StatusCodes.GoodSubscriptionTransferred))
    return Message(draw(numbers), draw(times), tuple(data))


def is_now(time: datetime) -> bool:
    return abs(datetime.now(UTC) - time) < timedelta(minutes=1)


@settings(deadline=None)
@given(numbers, numbers, st.lists(numbers), st.booleans(), messages(), st.lists(numbers))
def test_asyncua_reads_our_publish_response(
    handle: int,
    subscription: int,
    available: list[int],
    more: bool,
    message: Message,
    results: list[int],
):
    ours = publish_response(handle, subscription, available, more, message, results)
    response = struct_from_binary(ua.PublishResponse, Buffer(ours))
    assert response.ResponseHeader.RequestHandle == handle
    assert response.ResponseHeader.ServiceResult.is_good()
    assert is_now(response.ResponseHeader.Timestamp)
    parameters = response.Parameters
    assert parameters.SubscriptionId == subscription
    assert parameters.AvailableSequenceNumbers == available
    assert parameters.MoreNotifications == more
    assert [result.value for result in parameters.Results] == results
    assert parameters.NotificationMessage.SequenceNumber == message.number
    assert parameters.NotificationMessage.PublishTime == to_datetime(message.time)
    assert len(parameters.NotificationMessage.NotificationData) == len(message.data)
    # all but the time in its header, of which Python keeps microseconds only
    theirs = struct_to_binary(response)
    assert theirs[:4] + theirs[12:] == ours[:4] + ours[12:]


@settings(deadline=None)
@given(numbers, messages())
def test_asyncua_reads_our_republish_response(handle: int, message: Message):
    ours = republish_response(handle, message)
    data = Buffer(ours)
    assert nodeid_from_binary(data.copy()) == ua.FourByteNodeId(
        ua.ObjectIds.RepublishResponse_Encoding_DefaultBinary
    )
    response = struct_from_binary(ua.RepublishResponse, data)
    assert response.ResponseHeader.RequestHandle == handle
    assert response.NotificationMessage.SequenceNumber == message.number
    assert ours.endswith(message.encoded())
    assert message.size == sum(len(part) for part in message.data)
