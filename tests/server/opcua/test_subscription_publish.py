"""Publish requests: too many, too old, for nothing, or not to be understood."""

import asyncio
import socket
import struct
import time

import pytest
from asyncua import Client, ua
from asyncua.ua.object_ids import ObjectIds

from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import subscription, subscriptions
from tests.server.opcua.raw_client import RawClient, item
from twincell.server.opcua.limits import Limits
from twincell.server.opcua.subscription.subscription_service import MOST_ACKNOWLEDGEMENTS

pytestmark = pytest.mark.asyncio(loop_scope="session")

TICK = "Simulation.Tick"


async def test_a_small_answer_is_sent_at_once(cell: InProcess, client: Client):
    # with Nagle's algorithm a notification waits up to 40 ms for the last acknowledgement
    connections = [c.transport.get_extra_info("socket") for c in cell.server.admission.connections]
    assert connections
    assert all(c.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for c in connections)


async def test_who_has_no_subscription_cannot_publish(client: Client):
    raw = RawClient(client)
    with pytest.raises(ua.uaerrors.BadNoSubscription):
        await raw.publish()


async def test_requests_wait_until_there_is_something_to_say(cell: InProcess, client: Client):
    raw = RawClient(client)
    await raw.monitored(item(TICK, 1))
    await raw.hear(1, 1)
    waiting = [raw.publish() for _ in range(3)]
    await asyncio.sleep(0.05)
    assert not any(request.done() for request in waiting)
    for request in waiting:
        cell.tick(1)
        raw.keep(await request)
    assert raw.told(1) == [0, 1, 2, 3]


async def test_too_many_acknowledgements_are_refused_and_none_of_them_counts(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    made, _ = await raw.monitored(item(TICK, 1))
    await raw.hear(1, 1)
    sent = raw.acknowledgements[:1]
    with pytest.raises(ua.uaerrors.BadTooManyOperations):
        await raw.publish(*sent * (MOST_ACKNOWLEDGEMENTS + 1))
    assert subscription(cell, made.SubscriptionId).kept_numbers == [1]
    # results that wait count as well
    waiting = raw.publish(*sent * (MOST_ACKNOWLEDGEMENTS - 1))
    with pytest.raises(ua.uaerrors.BadTooManyOperations):
        await raw.publish(*sent * 2)
    cell.tick(1)
    assert len((await waiting).Results) == MOST_ACKNOWLEDGEMENTS - 1
    cell.tick(1)
    assert len((await raw.publish(*sent * 2)).Results) == 2


async def test_with_the_last_subscription_all_waiting_requests_go_back(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    made, _ = await raw.monitored(item(TICK, 1))
    await raw.hear(1, 1)
    waiting = [raw.publish() for _ in range(3)]
    await asyncio.sleep(0.02)
    await raw.delete(made.SubscriptionId)
    for request in waiting:
        with pytest.raises(ua.uaerrors.BadNoSubscription):
            await request


async def test_of_too_many_requests_the_oldest_goes_back(cell: InProcess, client: Client):
    raw = RawClient(client)
    await raw.monitored(item(TICK, 1))
    await raw.hear(1, 1)
    waiting = [raw.publish() for _ in range(Limits().publish_requests_per_session + 2)]
    for request in waiting[:2]:
        with pytest.raises(ua.uaerrors.BadTooManyPublishRequests):
            await request
    assert not any(request.done() for request in waiting[2:])
    cell.tick(1)
    raw.keep(await waiting[2])
    assert raw.told(1) == [0, 1]


async def test_a_request_that_waited_longer_than_its_hint_goes_back(
    cell: InProcess, client: Client
):
    raw = RawClient(client)
    await raw.monitored(item(TICK, 1))
    await raw.hear(1, 1)
    start = time.monotonic()
    short, long = raw.publish(hint_s=0.05), raw.publish(hint_s=20.0)
    with pytest.raises(ua.uaerrors.BadTimeout):
        await short
    assert time.monotonic() - start >= 0.05
    cell.tick(1)
    raw.keep(await long)
    assert raw.told(1) == [0, 1]


async def test_asyncuas_own_client_gets_everything_too(cell: InProcess, client: Client):
    class Listener:
        def __init__(self) -> None:
            self.ticks: list[int] = []

        def datachange_notification(self, node: object, value: int, data: object) -> None:
            self.ticks.append(value)

    listener = Listener()
    made = await client.create_subscription(5, listener)
    await made.subscribe_data_change(
        client.get_node(cell.id(TICK)), queuesize=1000, sampling_interval=1
    )
    for _ in range(20):
        cell.tick(10)
        await asyncio.sleep(0.01)
    for _ in range(500):
        if listener.ticks and listener.ticks[-1] == 200:
            break
        await asyncio.sleep(0.01)
    assert listener.ticks == list(range(201))
    await made.delete()
    assert not subscriptions(cell).subscriptions


CUT_SHORT = {
    "half an acknowledgement": (ObjectIds.PublishRequest_Encoding_DefaultBinary, 1, b"\1\2"),
    "half a republish": (ObjectIds.RepublishRequest_Encoding_DefaultBinary, 1, b""),
    "half a triggering": (ObjectIds.SetTriggeringRequest_Encoding_DefaultBinary, 1, b""),
    "half a monitored item": (
        ObjectIds.CreateMonitoredItemsRequest_Encoding_DefaultBinary,
        1,
        b"\0\0\0\0\1\0\0\0",
    ),
}
WRONG = {
    "a billion acknowledgements": (
        ObjectIds.PublishRequest_Encoding_DefaultBinary,
        10**9,
        b"",
        "BadEncodingLimitsExceeded",
    ),
    "times that do not exist": (
        ObjectIds.CreateMonitoredItemsRequest_Encoding_DefaultBinary,
        1,
        b"\7\0\0\0\0\0\0\0",
        "BadTimestampsToReturnInvalid",
    ),
    "a mode that does not exist": (
        ObjectIds.SetMonitoringModeRequest_Encoding_DefaultBinary,
        1,
        b"\7\0\0\0\0\0\0\0",
        "BadMonitoringModeInvalid",
    ),
}


@pytest.mark.parametrize("kind", [*CUT_SHORT, *WRONG])
async def test_a_request_that_cannot_be_decoded_is_refused_and_the_session_goes_on(
    cell: InProcess, client: Client, kind: str
):
    type_id, number, rest, status = WRONG.get(kind) or (*CUT_SHORT[kind], "BadDecodingError")
    raw = RawClient(client)
    await raw.monitored(item(TICK, 1))
    with pytest.raises(getattr(ua.uaerrors, status)):
        await raw.ask_with_bytes(int(type_id), struct.pack("<i", number) + rest)
    cell.tick(1)
    await raw.hear(1, 2)
    assert raw.told(1) == [0, 1]
