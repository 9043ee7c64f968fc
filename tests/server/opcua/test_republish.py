"""Messages that were sent can be had again until they are acknowledged."""

import pytest
from asyncua import Client, ua

from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import subscription
from tests.server.opcua.raw_client import EVERY_SAMPLE, RawClient, item, names
from twincell.server.opcua.subscription.subscription import KEPT_MESSAGES

pytestmark = pytest.mark.asyncio(loop_scope="session")

TICK = "Simulation.Tick"


def acknowledgement(result: ua.PublishResult) -> ua.SubscriptionAcknowledgement:
    number = result.NotificationMessage.SequenceNumber
    return ua.SubscriptionAcknowledgement(result.SubscriptionId, number)


async def again(raw: RawClient, subscription: int, number: int) -> ua.NotificationMessage:
    parameters = ua.RepublishParameters(subscription, number)
    return (await raw.ask(ua.RepublishRequest(), parameters)).NotificationMessage


async def three_messages(cell: InProcess, raw: RawClient) -> list[ua.PublishResult]:
    """Messages of one subscription, none of them acknowledged."""
    items = [item(TICK, 1), item("Tool1.Pose", 2, filter_=EVERY_SAMPLE), item("Tool1.Partner", 3)]
    await raw.monitored(*items)
    messages = []
    for _ in range(3):
        cell.tick(5)
        messages.append(await raw.publish())
    return messages


async def test_a_message_comes_again_exactly_as_it_was(cell: InProcess, client: Client):
    raw = RawClient(client)
    messages = await three_messages(cell, raw)
    assert [m.NotificationMessage.SequenceNumber for m in messages] == [1, 2, 3]
    assert messages[-1].AvailableSequenceNumbers == [1, 2, 3]
    for number in (2, 1, 3, 2):
        message = await again(raw, messages[0].SubscriptionId, number)
        assert message == messages[number - 1].NotificationMessage


async def test_what_was_acknowledged_is_gone(cell: InProcess, client: Client):
    raw = RawClient(client)
    messages = await three_messages(cell, raw)
    cell.tick(1)
    result = await raw.publish(*map(acknowledgement, messages[1:]))
    assert names(result.Results) == ["Good", "Good"]
    assert result.AvailableSequenceNumbers == [1, 4]
    with pytest.raises(ua.uaerrors.BadMessageNotAvailable):
        await again(raw, result.SubscriptionId, 2)
    assert await again(raw, result.SubscriptionId, 1) == messages[0].NotificationMessage


async def test_an_unknown_message_is_not_available(cell: InProcess, client: Client):
    raw = RawClient(client)
    (message, *_) = await three_messages(cell, raw)
    for number in (0, 4, 2**32 - 1):
        with pytest.raises(ua.uaerrors.BadMessageNotAvailable):
            await again(raw, message.SubscriptionId, number)
    with pytest.raises(ua.uaerrors.BadSubscriptionIdInvalid):
        await again(raw, 4711, 1)


async def test_wrong_acknowledgements_are_told_and_the_right_ones_count(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    (first, *_) = await three_messages(cell, raw)
    number = first.SubscriptionId
    wrong = [
        ua.SubscriptionAcknowledgement(number, 99),
        ua.SubscriptionAcknowledgement(4711, 1),
        acknowledgement(first),
        acknowledgement(first),  # a second time
    ]
    cell.tick(1)
    result = await raw.publish(*wrong)
    unknown = "BadSequenceNumberUnknown"
    assert names(result.Results) == [unknown, "BadSubscriptionIdInvalid", "Good", unknown]
    assert result.AvailableSequenceNumbers == [2, 3, 4]


async def test_a_keep_alive_is_not_kept(cell: InProcess, client: Client):
    raw = RawClient(client)
    made, _ = await raw.monitored(item(TICK, 1), keep_alive=1)
    cell.tick(1)
    assert (await raw.publish()).AvailableSequenceNumbers == [1]
    alive = await raw.publish()
    assert not alive.NotificationMessage.NotificationData
    assert alive.NotificationMessage.SequenceNumber == 2
    assert alive.AvailableSequenceNumbers == [1]
    with pytest.raises(ua.uaerrors.BadMessageNotAvailable):
        await again(raw, made.SubscriptionId, 2)


async def test_messages_are_kept_within_a_number_and_a_size(
    cell: InProcess, client: Client, monkeypatch: pytest.MonkeyPatch
):
    raw = RawClient(client)
    monkeypatch.setattr("twincell.server.opcua.subscription.subscription.KEPT_MESSAGES", 5)
    made, _ = await raw.monitored(item(TICK, 1), item("Bulk.Poses", 2, filter_=EVERY_SAMPLE))
    assert KEPT_MESSAGES == 1_000
    for _ in range(8):
        cell.tick(2)
        last = await raw.publish()
    assert last.AvailableSequenceNumbers == [4, 5, 6, 7, 8]
    inside = subscription(cell, made.SubscriptionId)
    held = sum(message.size for message in inside._kept.values())
    assert inside._kept_bytes == held
    one = held // 5
    monkeypatch.setattr(
        "twincell.server.opcua.subscription.subscription.KEPT_BYTES", 3 * one + one // 2
    )
    cell.tick(2)
    assert (await raw.publish()).AvailableSequenceNumbers == [7, 8, 9]
    with pytest.raises(ua.uaerrors.BadMessageNotAvailable):
        await again(raw, made.SubscriptionId, 6)


async def test_acknowledged_messages_take_no_memory(cell: InProcess, client: Client):
    raw = RawClient(client)
    messages = await three_messages(cell, raw)
    cell.tick(1)
    last = await raw.publish(*map(acknowledgement, messages))
    inside = subscription(cell, last.SubscriptionId)
    assert inside.kept_numbers == [4]
    assert inside._kept_bytes == inside._kept[4].size
